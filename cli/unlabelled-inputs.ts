/** Unlabelled pictures as commands are given them: a folder of pictures or a dataset, and an output that must not exist. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { blockOtherDecoders } from '../core/backbone/preprocess.js';
import type { Bundle } from '../core/bundle/bundle.js';
import { readBundle } from '../core/bundle/read.js';
import { Failure } from '../core/failures.js';
import { poolOfDataset, poolOfPictures, type UnlabelledPool } from '../trainer/adaptation/unlabelled-pool.js';
import { loadDataset } from '../trainer/datasets/load.js';
import type { CommandContext } from './context.js';
import { sameCommandAgain, sayHowToResume } from './say-how-to-resume.js';

export interface UnlabelledOptions {
  readonly bundle: string;
  readonly images?: string;
  readonly data?: string;
  readonly out: string;
}

interface UnlabelledInputs {
  readonly bundle: Bundle;
  /** With pictures it may take hours: what else can be wrong comes first. */
  readonly readPool: () => Promise<UnlabelledPool>;
  /** Finished parts of an extraction, to be removed when the command is done. */
  readonly work: string;
}

/** What is wrong is said before anything is read. */
export async function openUnlabelled(
  { bundle: path, images, data, out }: UnlabelledOptions,
  context: CommandContext,
): Promise<UnlabelledInputs> {
  if ((images === undefined) === (data === undefined))
    throw new Failure('config-invalid', 'Give either --images or --data.');
  if (existsSync(out))
    throw new Failure('output-exists', `${out} exists already. Name another output, or remove it first.`);
  const bundle = await readBundle(path);
  const work = `${resolve(out)}.work`;
  const readPool = async (): Promise<UnlabelledPool> => {
    if (images === undefined) return poolOfDataset(await loadDataset(data!));
    blockOtherDecoders();
    return sayHowToResume(sameCommandAgain, () => poolOfPictures(images, work, bundle.manifest, context));
  };
  return { bundle, work, readPool };
}
