/**
 * Folds of the training rows of a dataset alone: a quarter of the seen classes play unseen, a different quarter in each, three tenths of the rows
 * of the others play test rows, and a bundle is trained on the rest. Test rows have no part in any of it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { Bundle } from '../../core/bundle/bundle.js';
import { readBundle } from '../../core/bundle/read.js';
import { silent } from '../../core/progress.js';
import { configurationSchema } from '../../trainer/configuration.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { validationSplit } from '../../trainer/datasets/validation-split.js';
import { openEngine } from '../../trainer/engine/open.js';
import { hideUnseen, train } from '../../trainer/train.js';

/** A seed of its own, so that these are not the folds on which a training chooses its settings. */
const seed = 1900;

/** By default settings, but that the generator, of which validation uses nothing on CUB, is hardly trained: it is most of the time. */
export const closedFormAlone: z.input<typeof configurationSchema> = {
  generator: { members: 1, epochs: 1, hidden: 256 },
  validation: { shares: [0] },
};

export function validationFold(dataset: Dataset, fold: number): Dataset {
  return validationSplit(dataset, { seed, fold, classes: 0.25, seenRowFraction: 0.3, ownFirst: false });
}

/** The bundle of each fold is kept in `folder`, and taken from there when it is there already. */
export async function trainedFold(
  dataset: Dataset,
  fold: number,
  folder: string,
  threads: number,
): Promise<{ dataset: Dataset; bundle: Bundle }> {
  const small = validationFold(dataset, fold);
  return { dataset: small, bundle: await bundleOf(small, join(folder, `world-${fold}`), threads) };
}

/** The same of a bundle that knows nothing of the classes that play unseen. */
export function hiddenFoldBundle(
  dataset: Dataset,
  fold: number,
  folder: string,
  threads: number,
): Promise<Bundle> {
  const small = hideUnseen(validationFold(dataset, fold));
  return bundleOf(small, join(folder, `hidden-world-${fold}`), threads);
}

async function bundleOf(small: Dataset, out: string, threads: number): Promise<Bundle> {
  if (!existsSync(out))
    await train({
      dataset: small,
      configuration: configurationSchema.parse(closedFormAlone),
      seeds: [1],
      engine: await openEngine('onnx', { provider: 'cpu', threads }),
      out,
      resume: false,
      watcher: silent,
    });
  return readBundle(out);
}
