import { matrix, stackRows } from '../../matrix.js';
import type { DataRows } from './problem.js';
import type { RealRows } from './real-rows.js';
import type { Recipe } from './recipe.js';
import type { SyntheticClass } from './synthetic-class.js';

export interface LabelledClass {
  readonly label: number; // an index into the bundle's classes and then the runtime classes
  readonly made: SyntheticClass;
}

export interface LaidOut {
  readonly data: DataRows;
  readonly baseSums: Float64Array; // (n): log-sum-exp over the bundle's classes
  /** The classes given, their draws now views of the common array: there is one copy. */
  readonly classes: readonly SyntheticClass[];
}

/** Real rows, then the synthetic rows of the classes in turn, in the form of problem.ts; each class weighs `mass`. */
export function layOut(
  { rows: realRows, lenders, means, meanOf, sums }: RealRows,
  classes: readonly LabelledClass[],
  { temperature, residual }: Recipe,
  { mass, rowsPerDraw }: { mass: number; rowsPerDraw: number },
): LaidOut {
  const { rows: real, columns: width } = realRows;
  const synthetic = classes.reduce((sum, { made }) => sum + made.scales.length, 0);
  const data = {
    real: realRows,
    standing: real,
    means,
    meanOf,
    draws: stackRows([matrix(0, width), ...classes.map(({ made }) => made.draws)]),
    draw: new Int32Array(synthetic),
    lender: new Int32Array(synthetic),
    scale: new Float32Array(synthetic),
    owner: new Int32Array(real + synthetic),
    share: new Float64Array(real + synthetic).fill(1 / real),
    temperature,
    residual,
    length: residual > 0 ? lenders.meanLength : 1,
  };
  const baseSums = new Float64Array(real + synthetic);
  data.owner.set(lenders.labels);
  baseSums.set(sums);
  let [row, draw] = [0, 0];
  const views = classes.map(({ label, made }) => {
    const count = made.scales.length;
    data.owner.fill(label, real + row, real + row + count);
    data.share.fill(mass / count, real + row, real + row + count);
    for (let i = 0; i < count; i++) data.draw[row + i] = draw + Math.floor(i / rowsPerDraw);
    data.lender.set(made.lenders, row);
    data.scale.set(made.scales, row);
    baseSums.set(made.offsets, real + row);
    const drawn = made.draws.rows;
    const view = data.draws.data.subarray(draw * width, (draw + drawn) * width);
    row += count;
    draw += drawn;
    return { ...made, draws: matrix(drawn, width, view) };
  });
  return { data, baseSums, classes: views };
}
