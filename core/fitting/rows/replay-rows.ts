/** Real rows of the bundle: a part of its replay, which competes with runtime classes and gives residuals to synthetic rows. */
import { directRows } from '../../head/feature-map.js';
import { donorsOf, type Donors } from '../../head/synthetic-rows.js';
import { matrix, rowOf, stackRows, takeRows, type Matrix } from '../../matrix.js';
import { realBlock } from './real-block.js';
import type { FitRowSource, RealBlock, RowContext } from './row-source.js';

/** Real rows that give their residuals to synthetic rows. R rows, S classes. */
export interface DonorPool extends Donors {
  readonly features: Matrix; // (R, D), of unit length
  readonly classMeans: Matrix; // (S, D)
  readonly meanOf: Int32Array; // (R): which class mean is that of each row's class
}

export class ReplayRows implements FitRowSource {
  private constructor(
    private readonly block: RealBlock,
    readonly donors: DonorPool,
  ) {}

  /** At most `maxRows` rows, as many of each class. Class means are those of the whole replay: means of few rows are too long. */
  static async open(
    context: Pick<RowContext, 'bundle' | 'products' | 'base'>,
    maxRows: number,
  ): Promise<ReplayRows> {
    const { replay } = context.bundle;
    const one = matrix(1, replay.features.columns); // each direction is added to a sum before the next
    const { means, meanLength } = donorsOf(replay.labels, (row) => {
      one.data.set(rowOf(replay.features, row));
      return directRows(one, 1).data;
    });
    const picked = pickEvenly(replay.labels, Math.max(1, Math.floor(maxRows / means.size)));
    const features = takeRows(replay.features, picked);
    const labels = Int32Array.from(picked, (row) => replay.labels[row]);
    const block = await realBlock(context, features, {
      feature: Int32Array.from(labels.keys()),
      label: labels,
      weight: new Float64Array(labels.length).fill(1 / labels.length),
    });
    const position = new Map([...means.keys()].map((label, i) => [label, i]));
    return new ReplayRows(block, {
      features,
      labels,
      direction: (row) => rowOf(features, row),
      means,
      meanLength,
      classMeans: stackRows([...means.values()].map((mean) => matrix(1, mean.length, mean))),
      meanOf: labels.map((label) => position.get(label)!),
    });
  }

  blocks(): Promise<readonly RealBlock[]> {
    return Promise.resolve([this.block]);
  }
}

/** At most `max` rows of each label, spread evenly over its rows. */
function pickEvenly(labels: Int32Array, max: number): number[] {
  const rowsOf = new Map<number, number[]>();
  labels.forEach((label, row) => {
    const rows = rowsOf.get(label) ?? [];
    rowsOf.set(label, rows);
    rows.push(row);
  });
  return [...rowsOf.values()]
    .flatMap((rows) => {
      const count = Math.min(max, rows.length);
      return Array.from({ length: count }, (_, i) => rows[Math.floor((i * rows.length) / count)]);
    })
    .sort((a, b) => a - b);
}
