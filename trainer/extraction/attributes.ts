import { normalisedName } from '../../core/class-name.js';
import { Failure } from '../../core/failures.js';
import { readTable, wrongCellCount, type TableLine } from './read-table.js';
import { numberReader, type NumberReader } from './table-numbers.js';

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
  readonly leftOut: readonly LeftOut[];
  /** Every class that has a line, usable or not. */
  readonly named: ReadonlySet<string>;
}

/** `class,<attribute names>`, one line per class. Lines that cannot be used are listed in `leftOut`; the caller decides what they mean. */
export async function readAttributes(path: string): Promise<ClassAttributes> {
  const { header, lines, delimiter } = await readTable(path);
  const [first, ...attributeNames] = header;
  checkHeader(path, first, attributeNames);
  const rows = lines.map(({ number, fields: [name, ...cells] }) => ({
    number,
    fields: [normalisedName(name), ...cells],
  }));
  const numbers = numberReader(rows.flatMap(({ fields }) => fields.slice(1)));
  const firstLines = new Map<string, number>();
  const classNames: string[] = [];
  const values: number[][] = [];
  const leftOut: LeftOut[] = [];
  for (const line of rows) {
    const problem = problemOf(line, attributeNames, firstLines, numbers, delimiter);
    const [name, ...cells] = line.fields;
    if (!firstLines.has(name)) firstLines.set(name, line.number);
    if (problem !== null) {
      leftOut.push({ file: `${path}, line ${line.number}`, reason: problem });
      continue;
    }
    classNames.push(name);
    values.push(cells.map((cell) => numbers.value(cell)));
  }
  if (classNames.length === 0)
    throw new Failure('dataset-invalid', [`${path} describes no class.`, ...listed(leftOut, 5)].join('\n'));
  return { classNames, attributeNames, values, leftOut, named: new Set(firstLines.keys()) };
}

/** A line for each, up to `max`. */
export function listed(leftOut: readonly LeftOut[], max: number): string[] {
  const lines = leftOut.slice(0, max).map(({ file, reason }) => `  - ${file}: ${reason}`);
  return leftOut.length > max ? [...lines, `  … and ${leftOut.length - max} more`] : lines;
}

function checkHeader(path: string, first: string | undefined, attributeNames: readonly string[]): void {
  const wrong = (reason: string): Failure => new Failure('dataset-invalid', `${path}, line 1: ${reason}`);
  if (first === undefined || (first.toLowerCase() !== 'class' && attributeNames.length === 0))
    throw wrong('it must be a header line: class,<attribute names>.');
  if (
    first.toLowerCase() !== 'class' &&
    attributeNames.every((name) => name !== '' && !Number.isNaN(Number(name)))
  )
    throw wrong(
      `the table must begin with a header line: class,<attribute names>. It begins with: ${first},${attributeNames.join(',')}`.slice(
        0,
        300,
      ),
    );
  if (first.toLowerCase() !== 'class')
    throw wrong(
      `the first column must be called class, and holds the names of the classes. It is called "${first}": rename it.`,
    );
  if (attributeNames.length === 0)
    throw wrong('there is no attribute: add a column for each, with its name here.');
  const nameless = attributeNames.indexOf('');
  if (nameless >= 0)
    throw wrong(`column ${columnLetter(nameless + 1)} has no name. Write one, or remove the column.`);
  const twice = attributeNames.findIndex((name, i) => attributeNames.indexOf(name) < i);
  if (twice >= 0)
    throw wrong(
      `two columns are called "${attributeNames[twice]}" (${columnLetter(attributeNames.indexOf(attributeNames[twice]) + 1)} and ${columnLetter(twice + 1)}). Rename one.`,
    );
}

/** As spreadsheets call it: A, B, …, Z, AA. */
function columnLetter(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetter(Math.floor(index / 26) - 1) + last;
}

function problemOf(
  line: TableLine,
  attributeNames: readonly string[],
  firstLines: ReadonlyMap<string, number>,
  numbers: NumberReader,
  delimiter: string,
): string | null {
  const [name, ...fields] = line.fields;
  if (name === '') return 'the class has no name. Write one, or remove the line.';
  const before = firstLines.get(name);
  if (before !== undefined)
    return `the class "${name}" is described twice, first in line ${before}. Remove one of the lines.`;
  if (fields.length !== attributeNames.length) return wrongCellCount(line, attributeNames, delimiter);
  const bad = fields.flatMap((cell, i) => (Number.isNaN(numbers.value(cell)) ? [i] : []));
  if (bad.length === 0) return null;
  const [first] = bad;
  const what = fields[first] === '' ? 'there is nothing' : `"${fields[first]}"`;
  const more = bad.length > 1 ? ` (and ${bad.length - 1} more in this line)` : '';
  return `${what} for ${attributeNames[first]} (column ${columnLetter(first + 1)}) of the class "${name}"${fields[first] === '' ? '' : ' is not a number'}. ${numbers.remedy(fields[first])}${more}`;
}
