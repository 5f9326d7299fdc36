/**
 * How far pictures lie from what training saw: the mean over pictures of
 *
 *   d(x) = 1 - max over seen classes c of cos(x, m_c)
 *
 * beside the same mean over training rows. m_c (D) is the mean of one half of the training rows of class c, so that the other half,
 * which is measured, had no part in it. Pictures of classes that training had none of lie somewhat farther; pictures of another
 * kind (another camera, another subject) lie much farther.
 */
import type { Bundle } from '../bundle/bundle.js';
import type { SessionOptions } from '../compute/session.js';
import { directRows } from '../head/feature-map.js';
import { Scorer } from '../head/scorer.js';
import { classMeans, directionOf } from '../head/synthetic-rows.js';
import { matrix, piecesOf, stackRows, takeRows, type Matrix } from '../matrix.js';

const rowsAtOnce = 512;

export interface Drift {
  readonly pool: number;
  readonly training: number;
}

/** Null where training rows are too few to be measured. `mapped` (N, D). */
export async function driftOf(
  { replay }: Pick<Bundle, 'replay'>,
  mapped: Matrix,
  options: SessionOptions = {},
): Promise<Drift | null> {
  const { measured, others } = halvesOf(replay.labels);
  if (measured.length === 0 || mapped.rows === 0) return null;
  const labels = Int32Array.from(others, (row) => replay.labels[row]);
  const means = classMeans(labels, (row) => directionOf(replay.features, others[row]));
  const centres = directRows(stackRows([...means.values()].map((mean) => matrix(1, mean.length, mean))), 1); // (S, D)
  const scorer = await Scorer.open(options);
  try {
    const training = await meanDistance(scorer, centres, takeRows(replay.features, measured));
    return { training, pool: await meanDistance(scorer, centres, mapped) };
  } finally {
    await scorer.release();
  }
}

async function meanDistance(scorer: Scorer, centres: Matrix, rows: Matrix): Promise<number> {
  const head = { weights: centres, bias: new Float32Array(centres.rows) };
  let sum = 0;
  for (const piece of piecesOf(rows, rowsAtOnce)) {
    const unit = directRows(matrix(piece.rows, piece.columns, piece.data.slice()), 1);
    const { data } = await scorer.score(head, unit); // (n, S)
    for (let start = 0; start < data.length; start += centres.rows) {
      let nearest = -Infinity;
      for (let c = start; c < start + centres.rows; c++) if (data[c] > nearest) nearest = data[c];
      sum += 1 - nearest;
    }
  }
  return sum / rows.rows;
}

/** Every second row of each class, and the others; a class with a single row is not measured. */
function halvesOf(labels: Int32Array): { readonly measured: number[]; readonly others: number[] } {
  const seen = new Map<number, number>();
  const measured: number[] = [];
  const others: number[] = [];
  labels.forEach((label, row) => {
    const before = seen.get(label) ?? 0;
    seen.set(label, before + 1);
    (before % 2 === 1 ? measured : others).push(row);
  });
  return { measured, others };
}
