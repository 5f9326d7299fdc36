/**
 * Some tables of attributes have a number such as -1 where a value is not known (copies of AWA do, also after their rows were brought to unit length).
 * Training cannot tell it from a value. It is taken for such a mark where a table of amounts, 0 and more, has the same negative number again and again.
 */
import { rowOf } from '../../core/matrix.js';
import type { Dataset } from './dataset.js';
import { someOf, warningFinding, type Finding } from './findings.js';

/** Where more values are negative, being negative is nothing odd. */
const largestShare = 0.25;
/** Rows of -1, 0 and 1 are a scale of its own. */
const fewestAmounts = 3;

export function notKnownMarks({ attributes, attributeNames }: Dataset): Finding[] {
  const marks = new Set<number>();
  const columns = new Set<number>();
  let [count, isRepeated, isAmount] = [0, false, false];
  for (let row = 0; row < attributes.rows; row++) {
    const values = rowOf(attributes, row);
    const negative = values.filter((value) => value < 0);
    if (new Set(negative).size > 1) return [];
    values.forEach((value, k) => {
      if (value < 0) columns.add(k);
    });
    if (negative.length > 0) marks.add(negative[0]);
    count += negative.length;
    isRepeated ||= negative.length > 1;
    isAmount ||= new Set(values.filter((value) => value >= 0)).size >= fewestAmounts;
  }
  // One column with a negative value here and there is a quantity of its own, a latitude for one.
  const isMark = isAmount && columns.size > 1 && (isRepeated || (count > 1 && marks.size === 1));
  if (!isMark || count > largestShare * attributes.data.length) return [];
  const [mark] = marks;
  const what = marks.size === 1 ? `the number ${mark}` : 'one and the same negative number in each class';
  const names = someOf([...columns].sort((a, b) => a - b).map((k) => attributeNames[k] ?? k + 1));
  return [
    warningFinding(
      'not-known-mark',
      `${count} attribute values are ${what}, where all others are 0 or more (${names}): if it stands for "not known", training takes it for a value all the same. ` +
        'Put the mean of similar classes in its place',
    ),
  ];
}
