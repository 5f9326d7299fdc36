/** Rows with their scores for every class: at which temperature and offset of unseen classes they fit their labels best. */
import { matrix, rowOf, stackRows, type Matrix } from '../../../core/matrix.js';
import { marginsOf } from '../../evaluation/metrics.js';
import { seenUnseenCurve, type CurvePoint } from '../../evaluation/seen-unseen-curve.js';
import { logSumExp } from '../../transport/log-sum-exp.js';

const temperatures = Array.from({ length: 26 }, (_, i) => 0.0004 * 1.25 ** i);
/** Nats: a difference that does not matter. */
const asGood = 0.005;

interface LabelledScores {
  readonly scores: Matrix; // (n, C)
  readonly labels: Int32Array;
}

export function bestPointOf(parts: readonly LabelledScores[], isUnseen: Uint8Array): CurvePoint {
  const [first, second] = parts;
  const labels = parts.flatMap((part) => [...part.labels]);
  return seenUnseenCurve(marginsOf(stackRows([first.scores, second.scores]), labels, isUnseen)).best;
}

export function withOffset(scores: Matrix, isUnseen: Uint8Array, offset: number): Matrix {
  const { rows, columns, data } = scores;
  return matrix(
    rows,
    columns,
    data.map((value, i) => value + offset * isUnseen[i % columns]),
  );
}

/** Both kinds of rows count alike, however many there are of each. */
export function likeliestTemperature(parts: readonly LabelledScores[]): number {
  const loss = (temperature: number): number =>
    parts.reduce((sum, { scores, labels }) => {
      let total = 0;
      for (let i = 0; i < scores.rows; i++) {
        const row = rowOf(scores, i);
        total += logSumExpAt(row, temperature) - row[labels[i]] / temperature;
      }
      return sum + total / scores.rows;
    }, 0);
  const losses = temperatures.map(loss);
  const least = Math.min(...losses);
  // Where every row is right, all low temperatures are as good: the highest of them is the safest.
  return temperatures[losses.findLastIndex((value) => value <= least + asGood)];
}

/** The mean share that rows give to unseen classes. */
export function unseenMass(scores: Matrix, isUnseen: Uint8Array, epsilon: number): number {
  let mass = 0;
  for (let i = 0; i < scores.rows; i++) {
    const row = rowOf(scores, i);
    const total = logSumExpAt(row, epsilon);
    row.forEach((score, c) => {
      if (isUnseen[c]) mass += Math.exp(score / epsilon - total) / scores.rows;
    });
  }
  return mass;
}

function logSumExpAt(row: Float32Array, temperature: number): number {
  return logSumExp(row.length, (c) => row[c] / temperature);
}
