/** How well a head tells the 'seen' classes of a bench from those that are asked about, at the biases given and at the best shift of these. */
import { classMean, harmonicMean } from '../../core/accuracy.js';
import { rowOf, type Matrix } from '../../core/matrix.js';
import { mean } from '../../core/mean.js';
import { percent } from '../../core/percent.js';

export interface Judged {
  readonly h: number;
  readonly best: number; // at the best shift of the bias
  readonly asked: number; // accuracy of rows of the classes asked about
  readonly others: number;
  readonly top1: number; // among the classes asked about
}

/** `isAsked`: of each column. `labels`: the column of each row's class. */
export function judgeScores(
  scores: Matrix,
  labels: readonly number[],
  biases: Float64Array,
  isAsked: readonly boolean[],
): Judged {
  const every = Array.from(biases.keys());
  const asked = every.filter((c) => isAsked[c]);
  const accuracy = (shift: number, columns: readonly number[], ofAsked: boolean): number => {
    const rows = Array.from(labels.keys()).filter((i) => isAsked[labels[i]] === ofAsked);
    return classMean(
      rows.map((i) => labels[i]),
      (r) => {
        const row = rowOf(scores, rows[r]);
        const total = (c: number): number => row[c] + biases[c] + (isAsked[c] ? shift : 0);
        return columns.reduce((best, c) => (total(c) > total(best) ? c : best)) === labels[rows[r]];
      },
    )!;
  };
  const both = (shift: number): [number, number] => [
    accuracy(shift, every, true),
    accuracy(shift, every, false),
  ];
  let best = 0;
  for (let shift = -1; shift <= 1; shift += 0.1) best = Math.max(best, harmonicMean(...both(shift)));
  const [ofAsked, others] = both(0);
  return { h: harmonicMean(ofAsked, others), best, asked: ofAsked, others, top1: accuracy(0, asked, true) };
}

/** A line of a bench's table: means over draws, in %. */
export function judgedLine(name: string, draws: readonly Judged[]): string {
  const shown = (pick: (one: Judged) => number): string => percent(mean(draws.map(pick)));
  return `  ${name.padEnd(56)} H ${shown((one) => one.h)} (${shown((one) => one.best)})   ${shown((one) => one.asked)} / ${shown((one) => one.others)}   top-1 ${shown((one) => one.top1)}`;
}
