/** Unlabelled pictures as commands are given them: a folder of pictures or a dataset, and an output that must not exist. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { blockOtherDecoders } from '../core/backbone/preprocess.js';
import type { Bundle } from '../core/bundle/bundle.js';
import { readBundle } from '../core/bundle/read.js';
import { Failure } from '../core/failures.js';
import type { RuntimeClass } from '../core/fitting/runtime-class.js';
import { classOfFiles, labelledClasses } from '../trainer/adaptation/labelled-pictures.js';
import { poolOfDataset, poolOfPictures, type UnlabelledPool } from '../trainer/adaptation/unlabelled-pool.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { filesUnder } from '../trainer/extraction/list-pictures.js';
import type { CommandContext } from './context.js';
import { sameCommandAgain, sayHowToResume } from './say-how-to-resume.js';

export interface UnlabelledOptions {
  readonly bundle: string;
  readonly images?: string;
  readonly data?: string;
  /** Labelled pictures, a folder for each class. */
  readonly examples?: string;
  readonly out: string;
}

interface UnlabelledInputs {
  readonly bundle: Bundle;
  /** With pictures it may take hours: what else can be wrong comes first. */
  readonly readPool: () => Promise<UnlabelledPool>;
  /** The classes that have labelled pictures, with these. */
  readonly readLabelled: () => Promise<readonly RuntimeClass[]>;
  /** Finished parts of an extraction, to be removed when the command is done. */
  readonly work: string;
}

/** What is wrong is said before anything is read. */
export async function openUnlabelled(
  { bundle: path, images, data, examples, out }: UnlabelledOptions,
  context: CommandContext,
): Promise<UnlabelledInputs> {
  if ((images === undefined) === (data === undefined))
    throw new Failure('config-invalid', 'Give either --images or --data.');
  if (existsSync(out))
    throw new Failure('output-exists', `${out} exists already. Name another output, or remove it first.`);
  const bundle = await readBundle(path);
  const work = `${resolve(out)}.work`;
  const labelled = examples === undefined ? [] : await filesUnder(examples);
  classOfFiles(
    bundle,
    labelled.map(({ file }) => file),
  );
  const extracted = (folder: string, parts: string) => {
    blockOtherDecoders();
    return sayHowToResume(sameCommandAgain, () => poolOfPictures(folder, parts, bundle.manifest, context));
  };
  const readPool = async (): Promise<UnlabelledPool> => {
    if (images === undefined) return poolOfDataset(await loadDataset(data!));
    const pool = await extracted(images, join(work, 'pool'));
    sayWhatWasLeftOut(pool, context);
    return pool;
  };
  const readLabelled = async (): Promise<readonly RuntimeClass[]> => {
    if (examples === undefined) return [];
    const pictures = await extracted(examples, join(work, 'examples'));
    for (const { name, reason } of pictures.leftOut)
      context.note(`Left out: ${join(examples, name)}: ${reason}`);
    return labelledClasses(bundle, pictures);
  };
  return { bundle, work, readPool, readLabelled };
}

type LeftOut = UnlabelledPool['leftOut'][number];

/** Most reasons begin with the name. */
export function describeLeftOut({ name, reason }: LeftOut): string {
  return reason.startsWith(name) ? reason : `${name}: ${reason}`;
}

/** Before the pool is worked on, which may be refused because so little is left. */
function sayWhatWasLeftOut(
  { leftOut, names }: Pick<UnlabelledPool, 'leftOut' | 'names'>,
  { note }: Pick<CommandContext, 'note'>,
): void {
  if (leftOut.length === 0) return;
  const files = leftOut.length + names.length;
  note(`${leftOut.length} of ${files} files cannot be used. The first: ${describeLeftOut(leftOut[0])}`);
}
