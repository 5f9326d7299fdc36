/**
 * What an extraction has done so far, in a folder: plan.json, and for each finished part its features (part-N.bin) and
 * what was wrong with its pictures (part-N.json, written last: it marks the part as finished). A kill loses only the parts
 * that were being extracted.
 */
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../../core/failures.js';
import { bytesOf, sha256Of } from '../../core/hash.js';
import { planKey, planSchema, type ExtractionPlan } from './plan.js';

const partSchema = z.object({
  pictures: z.int(),
  sha256: z.string(),
  problems: z.array(z.object({ index: z.int(), name: z.string(), reason: z.string() })),
});

export interface Part {
  readonly features: Float32Array; // (pictures, featureWidth)
  /** By index among the pictures of the plan. */
  readonly problems: z.infer<typeof partSchema>['problems'];
}

const planFile = 'plan.json';

export class PartStore {
  private constructor(
    readonly folder: string,
    readonly plan: ExtractionPlan,
  ) {}

  /** A new folder, or the one of an earlier run of the same plan. */
  static async open(folder: string, plan: ExtractionPlan): Promise<PartStore> {
    if (existsSync(join(folder, planFile))) {
      const found = await PartStore.read(folder);
      if (planKey(found.plan) !== planKey(plan))
        throw new Failure(
          'config-invalid',
          `The unfinished extraction at ${folder} has other pictures, attributes, backbone or options. Give those, or remove it to start over.`,
        );
      return found;
    }
    await mkdir(folder, { recursive: true });
    await writeSynced(join(folder, planFile), JSON.stringify(plan));
    return new PartStore(folder, plan);
  }

  static async read(folder: string): Promise<PartStore> {
    const path = join(folder, planFile);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw new Failure('dataset-not-found', `${folder} holds no extraction: ${(error as Error).message}`, {
        cause: error,
      });
    });
    const parsed = planSchema.safeParse(JSON.parse(text));
    if (!parsed.success)
      throw new Failure('dataset-invalid', `${path} is wrong:\n${z.prettifyError(parsed.error)}`);
    return new PartStore(folder, parsed.data);
  }

  async write(index: number, { features, problems }: Part): Promise<void> {
    const bytes = bytesOf(features);
    const pictures = features.length / this.plan.backbone.featureWidth;
    await writeSynced(this.path(index, 'bin'), bytes);
    await writeSynced(
      this.path(index, 'json'),
      JSON.stringify({ pictures, sha256: sha256Of(bytes), problems }),
    );
  }

  /** Null when the part is not finished, or its file does not match its hash. */
  async read(index: number): Promise<Part | null> {
    try {
      const described = partSchema.parse(JSON.parse(await readFile(this.path(index, 'json'), 'utf8')));
      const bytes = await readFile(this.path(index, 'bin'));
      if (sha256Of(bytes) !== described.sha256) return null;
      const features = new Float32Array(bytes.length / 4);
      bytesOf(features).set(bytes);
      return { features, problems: described.problems };
    } catch {
      return null;
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private path(index: number, ending: string): string {
    return join(this.folder, `part-${String(index).padStart(6, '0')}.${ending}`);
  }
}

async function writeSynced(path: string, content: Uint8Array | string): Promise<void> {
  const temporary = `${path}.partial`;
  const file = await open(temporary, 'w');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
