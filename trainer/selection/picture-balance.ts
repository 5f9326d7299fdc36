/** The closed form as a classifier of seen and held-out classes together: how a bias balances the two when classes have pictures. */
import { addRowProducts, type Rows } from '../../core/compute/linear-algebra.js';
import { directRows } from '../../core/head/feature-map.js';
import { seenPrototype } from '../../core/head/synthetic-rows.js';
import { matrix, rowOf, stackRows, takeRows, type Matrix } from '../../core/matrix.js';
import { predictClasses } from '../closed-form/kernel-ridge.js';
import type { Dataset } from '../datasets/dataset.js';
import { marginsOf, type Margins } from '../evaluation/metrics.js';
import { seenUnseenCurve } from '../evaluation/seen-unseen-curve.js';
import type { TrainingData } from '../preparation/training-data.js';

/** Margins of rows of held-out classes, which lie where `classes` says, and of the test rows of seen classes. */
type Balance = (classes: readonly Float32Array[], rows: Matrix, labels: Int32Array) => Margins;

export function openBalance(
  { closedForm, attributes, seen }: TrainingData,
  { labels, splits }: Dataset,
  realShare: number,
  seenRows: Matrix, // test rows of seen classes, of unit length
): Balance {
  const prototypes = predictClasses(closedForm!, takeRows(attributes, seen)); // (S, D)
  for (let c = 0; c < seen.length; c++) {
    const row = rowOf(prototypes, c);
    row.set(seenPrototype(row, rowOf(closedForm!.means, c), realShare));
  }
  const place = new Map(Array.from(seen, (label, c) => [label, c]));
  const seenLabels = Array.from(splits.testSeen, (row) => place.get(labels[row])!);
  return (classes, rows, ownLabels) => {
    const every = stackRows([prototypes, stackClasses(classes)]);
    const scores = stackRows([cosinesTo(seenRows, every), cosinesTo(rows, every)]);
    const all = [...seenLabels, ...Array.from(ownLabels, (label) => seen.length + label)];
    const isUnseen = Uint8Array.from({ length: every.rows }, (_, c) => (c < seen.length ? 0 : 1));
    return marginsOf(scores, all, isUnseen);
  };
}

export function bestBias(margins: Margins): number {
  return seenUnseenCurve(margins).best.bias;
}

/** Classes as rows of unit length. */
export function stackClasses(classes: readonly Float32Array[]): Matrix {
  return directRows(stackRows(classes.map((one) => matrix(1, one.length, one.slice()))), 1);
}

export function cosinesTo(rows: Matrix, directions: Matrix): Matrix {
  const scores = new Float64Array(rows.rows * directions.rows);
  addRowProducts(
    { data: scores, offset: 0, stride: directions.rows },
    asRows(rows),
    asRows(directions),
    rows.columns,
    1,
  );
  return matrix(rows.rows, directions.rows, Float32Array.from(scores));
}

function asRows({ data, rows: count, columns: stride }: Matrix): Rows {
  return { data: Float64Array.from(data), offset: 0, stride, count };
}
