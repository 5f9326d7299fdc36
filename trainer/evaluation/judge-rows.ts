/**
 * What evaluation needs to know of test rows, gathered some rows at a time: the scores of every row for every class may be
 * more than memory holds, and each row is judged by its own scores alone.
 */
import type { Matrix } from '../../core/matrix.js';
import { stopIfAsked } from '../../core/stop.js';
import type { Dataset } from '../datasets/dataset.js';
import { marginsOf, type ScoredMargins } from './metrics.js';

/** Scores (n, C) of the rows named, without the bias on unseen classes. */
export type ScoreRows = (rows: Int32Array) => Promise<Matrix>;

const rowsAtOnce = 1024;

export async function judgeRows(
  score: ScoreRows,
  dataset: Dataset,
  rows: Int32Array,
  signal?: AbortSignal,
): Promise<ScoredMargins> {
  const isUnseen = unseenMask(dataset);
  const labels = rows.map((row) => dataset.labels[row]);
  const all = {
    margin: new Float64Array(rows.length),
    isUnseen: new Uint8Array(rows.length),
    isRight: new Uint8Array(rows.length),
    bestSeen: new Int32Array(rows.length),
    bestUnseen: new Int32Array(rows.length),
    ahead: new Int32Array(rows.length),
  };
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    await new Promise(setImmediate); // lets the event loop handle Ctrl-C
    if (signal) stopIfAsked(signal);
    const scores = await score(rows.subarray(start, start + rowsAtOnce));
    const part = marginsOf(scores, labels.subarray(start, start + rowsAtOnce), isUnseen);
    for (const name of ['margin', 'isUnseen', 'isRight', 'bestSeen', 'bestUnseen', 'ahead'] as const)
      all[name].set(part[name], start);
  }
  return { ...all, labels };
}

/** Test rows of seen classes first. */
export function testRows({ splits }: Dataset): Int32Array {
  const rows = new Int32Array(splits.testSeen.length + splits.testUnseen.length);
  rows.set(splits.testSeen);
  rows.set(splits.testUnseen, splits.testSeen.length);
  return rows;
}

/** Marks, per class, the unseen ones. */
export function unseenMask(dataset: Dataset): Uint8Array {
  const mask = new Uint8Array(dataset.classNames.length);
  for (const label of dataset.unseen) mask[label] = 1;
  return mask;
}
