/** Answers of a model to rows of features, through the classifier that serves. */
import type { Bundle } from '../../core/bundle/bundle.js';
import { Classifier } from '../../core/head/classifier.js';
import { HeadTable, type CompetingClass, type HeadRow } from '../../core/head/head-table.js';
import { takeRows, type RowSource } from '../../core/matrix.js';
import { calibrationErrorOf, reliabilityBins } from '../../trainer/evaluation/calibration-error.js';

export interface Answered {
  readonly class: string;
  readonly probability: number;
  readonly novelty: number;
}

export interface Served {
  readonly bundle: Bundle;
  readonly added?: readonly { readonly described: CompetingClass; readonly row: HeadRow }[];
  /** Names of classes that do not compete. */
  readonly without?: ReadonlySet<string>;
}

const rowsAtOnce = 512;

export async function answersOf(
  { bundle, added = [], without = new Set() }: Served,
  features: RowSource,
  rows: Int32Array,
): Promise<Answered[]> {
  const table = HeadTable.ofBundle(bundle);
  for (const { described, row } of added) table.put(described, row);
  for (const name of without) table.remove(name);
  const classifier = await Classifier.over(bundle, table);
  const answers: Answered[] = [];
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const part = takeRows(features, rows.subarray(start, start + rowsAtOnce));
    for (const { predictions, novelty } of await classifier.classify(part, { topK: 1 }))
      answers.push({
        class: predictions[0].class,
        probability: predictions[0].probability,
        novelty: novelty ?? NaN,
      });
  }
  await classifier.release();
  return answers;
}

export function errorOf(answers: readonly Answered[], names: readonly string[]): number {
  return calibrationErrorOf(
    reliabilityBins(
      answers.map(({ probability }) => probability),
      answers.map((answer, i) => answer.class === names[i]),
    ),
  );
}

/** The chance that a new picture has a higher value than a known one; ties count half. */
export function areaUnderCurve(known: readonly number[], fresh: readonly number[]): number {
  const all = [
    ...known.map((value) => ({ value, isNew: false })),
    ...fresh.map((value) => ({ value, isNew: true })),
  ];
  all.sort((a, b) => a.value - b.value);
  let [area, below] = [0, 0];
  for (let start = 0; start < all.length;) {
    let end = start;
    let [knownHere, newHere] = [0, 0];
    for (; end < all.length && all[end].value === all[start].value; end++)
      if (all[end].isNew) newHere += 1;
      else knownHere += 1;
    area += newHere * (below + knownHere / 2);
    below += knownHere;
    start = end;
  }
  return area / (known.length * fresh.length);
}
