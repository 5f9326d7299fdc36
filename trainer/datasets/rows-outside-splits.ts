import type { Dataset } from './dataset.js';
import { fewShotRows } from './few-shot.js';

/** Rows of split `none`, ascending: nothing is learnt from their labels, and nothing judged by them. */
export function rowsOutsideSplits({ features, splits }: Pick<Dataset, 'features' | 'splits'>): number[] {
  const { train, testSeen, testUnseen } = splits;
  const used = new Uint8Array(features.rows);
  for (const rows of [train, testSeen, testUnseen, fewShotRows({ splits })])
    for (const row of rows) used[row] = 1;
  return Array.from(used.keys()).filter((row) => used[row] === 0);
}
