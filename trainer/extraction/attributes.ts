import { normalisedName } from '../../core/class-name.js';
import { Failure } from '../../core/failures.js';
import { cellMistakes, lineReason, type BadCell } from './cell-mistakes.js';
import { readTable, wrongCellCount, type TableLine } from './read-table.js';
import { checkHeader } from './table-header.js';
import { numberReader } from './table-numbers.js';

/** What was left out of the dataset, and what to do about it. */
export interface LeftOut {
  /** A picture, or a line of a table. */
  readonly file: string;
  readonly reason: string;
}

export interface ClassAttributes {
  readonly classNames: readonly string[];
  readonly attributeNames: readonly string[];
  readonly values: readonly (readonly number[])[]; // (classes, attributes)
  /** Where each class is described: file and line. */
  readonly places: readonly string[];
  /** Lines that cannot be used. */
  readonly leftOut: readonly LeftOut[];
  /** The same for people: what goes through a whole column is told once. */
  readonly mistakes: readonly LeftOut[];
  /** Every class that has a line, usable or not. */
  readonly named: ReadonlySet<string>;
}

/** `class,<attribute names>`, one line per class. Lines that cannot be used are listed in `leftOut`; the caller decides what they mean. */
export async function readAttributes(path: string): Promise<ClassAttributes> {
  const { header, lines, delimiter } = await readTable(path);
  const [, ...attributeNames] = header;
  checkHeader(path, header, lines);
  if (lines.length === 0)
    throw new Failure(
      'dataset-invalid',
      `${path} describes no class: there is nothing below the header line. Add a line for each class.`,
    );
  const rows = lines.map(({ number, fields: [name, ...cells] }) => ({
    number,
    fields: [normalisedName(name), ...cells],
  }));
  const numbers = numberReader(rows.flatMap(({ fields }) => fields.slice(1)));
  const firstLines = new Map<string, number>();
  const classNames: string[] = [];
  const places: string[] = [];
  const values: number[][] = [];
  const leftOut: LeftOut[] = [];
  const badLines: { line: number; place: string; reason: string }[] = [];
  const badCells: BadCell[] = [];
  for (const line of rows) {
    const { number } = line;
    const place = `line ${number}`;
    const [name, ...cells] = line.fields;
    const problem = problemOf(line, attributeNames, firstLines, delimiter);
    if (!firstLines.has(name)) firstLines.set(name, number);
    if (problem !== null) {
      badLines.push({ line: number, place, reason: problem });
      leftOut.push({ file: `${path}, ${place}`, reason: problem });
      continue;
    }
    const found = cells.map((cell) => numbers.value(cell));
    const bad = cells.flatMap((cell, column) =>
      Number.isNaN(found[column]) ? [{ line: number, column, className: name, cell }] : [],
    );
    if (bad.length > 0) {
      badCells.push(...bad);
      leftOut.push({ file: `${path}, ${place}`, reason: lineReason(bad, attributeNames, numbers) });
      continue;
    }
    classNames.push(name);
    places.push(`${path}, ${place}`);
    values.push(found);
  }
  const mistakes = [...badLines, ...cellMistakes(badCells, attributeNames, rows.length, numbers)]
    .sort((a, b) => a.line - b.line)
    .map(({ place, reason }) => ({ file: `${path}, ${place}`, reason }));
  return {
    classNames,
    attributeNames,
    values,
    places,
    leftOut,
    mistakes,
    named: new Set(firstLines.keys()),
  };
}

/** A line for each, up to `max`. */
export function listed(leftOut: readonly LeftOut[], max: number): string[] {
  const lines = leftOut.slice(0, max).map(({ file, reason }) => `  - ${file}: ${reason}`);
  return leftOut.length > max ? [...lines, `  … and ${leftOut.length - max} more`] : lines;
}

/** What is wrong with a line as a whole. */
function problemOf(
  line: TableLine,
  attributeNames: readonly string[],
  firstLines: ReadonlyMap<string, number>,
  delimiter: string,
): string | null {
  const [name, ...fields] = line.fields;
  if (name === '') return 'the class has no name. Write one, or remove the line.';
  const before = firstLines.get(name);
  if (before !== undefined)
    return `the class "${name}" is described twice, first in line ${before}. Remove one of the lines.`;
  return fields.length === attributeNames.length ? null : wrongCellCount(line, attributeNames, delimiter);
}
