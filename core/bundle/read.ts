import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../failures.js';
import { fromHalf } from '../half.js';
import { sha256Of } from '../hash.js';
import { matrix, type Matrix } from '../matrix.js';
import type { Bundle } from './bundle.js';
import { exampleCount, examplesByClass } from './examples-file.js';
import { manifestSchema, type Manifest } from './manifest.js';
import { upgradeManifest } from './upgrade.js';

interface DescribedBundle {
  readonly manifest: Manifest;
  readonly identity: string;
}

/** Reads a bundle and verifies every byte of it; what readManifest() gave is not read again. */
export async function readBundle(path: string, described?: DescribedBundle): Promise<Bundle> {
  const { manifest, identity } = described ?? (await readManifest(path));
  const names = Object.keys(manifest.files);
  const read = await Promise.all(names.map((name) => readOrNull(join(path, name))));
  const contents = new Map(names.map((name, i) => [name, read[i]]));
  const file = (name: string): Buffer => {
    const entry = manifest.files[name] as Manifest['files'][string] | undefined;
    if (!entry) damaged(path, `the manifest lists no ${name}`);
    const bytes = contents.get(name);
    if (!bytes) damaged(path, `${name} is missing`);
    if (bytes.length !== entry.bytes)
      damaged(path, `${name} has ${bytes.length} bytes instead of ${entry.bytes}`);
    if (sha256Of(bytes) !== entry.sha256) damaged(path, `${name} does not match its hash`);
    return bytes;
  };
  const classes = manifest.classes.length;
  const width = manifest.featureMap.mappedWidth;
  const labels = new Int32Array(copyOf(file('replay-labels.i32')));
  const replay = fromHalf(new Uint16Array(copyOf(file('replay-features.f16'))));
  const weights = new Float32Array(copyOf(file('head-weights.f32')));
  const bias = new Float32Array(copyOf(file('head-bias.f32')));
  if (
    weights.length !== classes * width ||
    bias.length !== classes ||
    replay.length !== labels.length * width
  ) {
    damaged(path, `its sizes do not fit ${classes} classes of ${width} features`);
  }
  const count = exampleCount(manifest);
  const examples = count > 0 ? rowsOf(file('examples.f16'), width) : matrix(0, width);
  if (examples.rows !== count) damaged(path, `examples.f16 has ${examples.rows} rows instead of ${count}`);
  return {
    manifest,
    identity,
    featureMap: file('features.onnx'),
    generator: file('generator.onnx'),
    predictor: file('predictor.onnx'),
    weights: matrix(classes, width, weights),
    bias,
    deviations: 'deviations.f16' in manifest.files ? rowsOf(file('deviations.f16'), width) : null,
    novelty: 'novelty.f16' in manifest.files ? rowsOf(file('novelty.f16'), width) : null,
    examples: examplesByClass(manifest, examples),
    replay: { features: matrix(labels.length, width, replay), labels },
  };
}

/**
 * The manifest alone, verified against its digest: quick, for looking at a bundle. The identity is that of the file as it
 * is stored, also where an older format is upgraded in memory.
 */
export async function readManifest(path: string): Promise<DescribedBundle> {
  const text = await readOrNull(join(path, 'manifest.json'));
  if (!text) {
    throw new Failure(
      'bundle-not-found',
      `No bundle at ${path}: it has no manifest.json. Make one with "unseen train".`,
    );
  }
  const digest = (await readOrNull(join(path, 'manifest.sha256')))?.toString('utf8').trim();
  const identity = sha256Of(text);
  if (digest !== identity) damaged(path, 'manifest.json does not match manifest.sha256');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.toString('utf8'));
  } catch {
    damaged(path, 'manifest.json is not JSON');
  }
  const checked = manifestSchema.safeParse(upgradeManifest(path, parsed));
  if (!checked.success) {
    const [first] = checked.error.issues;
    damaged(path, `manifest.json is wrong at ${first.path.join('.')}: ${first.message}`);
  }
  return { manifest: checked.data, identity };
}

function damaged(path: string, reason: string): never {
  throw new Failure(
    'bundle-invalid',
    `The bundle at ${path} cannot be used: ${reason}. Copy it again from its source, or train it again.`,
  );
}

async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code === 'ENOENT' ||
      (error as NodeJS.ErrnoException).code === 'ENOTDIR'
    ) {
      return null;
    }
    throw error;
  }
}

/** Half-precision values as rows of `width`. */
function rowsOf(bytes: Buffer, width: number): Matrix {
  const values = fromHalf(new Uint16Array(copyOf(bytes)));
  return matrix(values.length / width, width, values);
}

/** A buffer of its own: Node may hand out slices of a pool that typed arrays cannot be laid over. */
function copyOf(bytes: Buffer): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
