/** Cells that are not numbers, as they are told to people: a mistake that goes through a column once, others line by line. */
import { groupedBy } from '../../core/grouped-by.js';
import { columnLetter } from './table-header.js';
import { isNoWord, isYesWord, type NumberReader } from './table-numbers.js';

export interface BadCell {
  readonly line: number;
  /** Among the attributes. */
  readonly column: number;
  readonly className: string;
  readonly cell: string;
}

interface Mistake {
  /** The first line that has it. */
  readonly line: number;
  readonly place: string;
  readonly reason: string;
}

/** With more than so many in a column they have one reason, mostly, and one remedy. */
const maxSingle = 3;
const maxExamples = 2;

/** `lineCount`: lines in the table. */
export function cellMistakes(
  bad: readonly BadCell[],
  attributeNames: readonly string[],
  lineCount: number,
  numbers: NumberReader,
): Mistake[] {
  const byColumn = groupedBy(bad, ({ column }) => column);
  const whole = [...byColumn].filter(([, cells]) => cells.length > maxSingle);
  const single = bad.filter(({ column }) => byColumn.get(column)!.length <= maxSingle);
  return [
    ...whole.map(([column, cells]) => ({
      line: cells[0].line,
      place: `column ${columnLetter(column + 1)} (${attributeNames[column]})`,
      reason: columnReason(cells, lineCount, numbers),
    })),
    ...[...groupedBy(single, ({ line }) => line)].map(([line, cells]) => ({
      line,
      place: `line ${line}`,
      reason: lineReason(cells, attributeNames, numbers),
    })),
  ];
}

/** Of the first of them, which is enough to find the others. */
export function lineReason(
  cells: readonly BadCell[],
  attributeNames: readonly string[],
  numbers: NumberReader,
): string {
  const [{ cell, column, className }] = cells;
  const more = cells.length > 1 ? ` (and ${cells.length - 1} more in this line)` : '';
  const what = cell === '' ? 'there is nothing' : `"${cell}"`;
  return `${what} for ${attributeNames[column]} (column ${columnLetter(column + 1)}) of the class "${className}"${cell === '' ? '' : ' is not a number'}. ${numbers.remedy(cell)}${more}`;
}

function columnReason(cells: readonly BadCell[], lineCount: number, numbers: NumberReader): string {
  const filled = cells.filter(({ cell }) => cell !== '');
  const isAll = cells.length === lineCount;
  const empty = cells.length - filled.length;
  if (filled.length === 0)
    return isAll
      ? 'it is empty. Fill it in, or remove the column.'
      : `${empty} cells are empty, such as in line ${cells[0].line}. ${numbers.remedy('')}`;
  const texts = new Map(filled.map((one) => [one.cell, one])); // the last of each, and each once
  for (const one of filled.toReversed()) texts.set(one.cell, one);
  const examples = [...texts.values()]
    .slice(0, maxExamples)
    .map(({ cell, line }) => `"${cell}" (line ${line})`)
    .join(' and ');
  const what = `${filled.length} cells are not numbers, such as ${examples}${empty > 0 ? `, and ${empty} are empty` : ''}.`;
  return `${what} ${columnRemedy([...texts.keys()], { isAll, empty, numbers })}`;
}

function columnRemedy(
  texts: readonly string[],
  { isAll, empty, numbers }: { isAll: boolean; empty: number; numbers: NumberReader },
): string {
  const [yes, no] = [texts.filter(isYesWord), texts.filter(isNoWord)];
  if (yes.length + no.length === texts.length) {
    const words = [
      ...(yes.length > 0 ? [`1 for ${quoted(yes)}`] : []),
      ...(no.length > 0 ? [`0 for ${quoted(no)}`] : []),
    ].join(' and ');
    return `Write ${words}${empty > 0 ? ', and 0 into the empty cells if they mean no' : ''}.`;
  }
  if (isAll && !texts.some((text) => /\d/.test(text)))
    return 'If it is not an attribute, remove the column. If it says which of several values a class has, make a column of 1 and 0 for each value.';
  if (isAll && texts.every((text) => text.endsWith('%'))) return 'Write them without the percent sign.';
  const remedy = numbers.remedy(texts[0]);
  return `For "${texts[0]}": ${remedy[0].toLowerCase()}${remedy.slice(1)} Correct the others likewise.`;
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(' and ');
}
