/**
 * A table of classes for `unseen classes add`: class,<attribute names>, with empty cells for what is not known. A column "like" names another
 * class, and a column "examples" a folder with pictures of the class, from the folder of the table on.
 */
import { dirname, resolve } from 'node:path';
import type { NewClass } from '../client/index.js';
import { normalisedName } from '../core/class-name.js';
import { Failure } from '../core/failures.js';
import { listed } from '../trainer/extraction/attributes.js';
import { cellMistakes, type BadCell } from '../trainer/extraction/cell-mistakes.js';
import { readTable, wrongCellCount, type TableLine } from '../trainer/extraction/read-table.js';
import { headerBelow } from '../trainer/extraction/table-header.js';
import { numberReader, type NumberReader } from '../trainer/extraction/table-numbers.js';
import type { TablePlaces } from './table-problem.js';

const likeColumn = 'like';
const examplesColumn = 'examples';
const maxListed = 30;

export interface TableClass extends NewClass {
  readonly attributes: Record<string, number>;
}

interface ClassesOfTable {
  readonly classes: TableClass[];
  /** Folders with pictures, by the names of the classes. */
  readonly examples: ReadonlyMap<string, string>;
  /** Where they are described, for what the server says of them. */
  readonly places: TablePlaces;
}

/** All lines, or everything that is wrong with them. */
export async function readClassTable(path: string): Promise<ClassesOfTable> {
  const { header, lines, delimiter } = await readTable(path);
  const [first, ...columns] = header;
  if (header.length === 0) throw new Failure('dataset-invalid', `${path} is empty.`);
  if (first.toLowerCase() !== 'class')
    throw (
      headerBelow(path, lines) ??
      new Failure(
        'dataset-invalid',
        `${path} must begin with a header line: class,<attribute names>. It begins with: ${header.join(',')}`.slice(
          0,
          300,
        ),
      )
    );
  const repeated = columns.find((column, k) => columns.indexOf(column) !== k);
  if (repeated !== undefined)
    throw new Failure('dataset-invalid', `${path} has two columns "${repeated}". Remove one of them.`);
  const isNumber = (_: string, k: number): boolean => k > 0 && !isWords(header[k]);
  const numbers = numberReader(lines.flatMap(({ fields }) => fields.filter(isNumber)));
  const examples = new Map<string, string>();
  const names = new Set<string>();
  const numbersOf = new Map<string, number>();
  const classes: TableClass[] = [];
  const problems: { line: number; place: string; reason: string }[] = [];
  const badCells: BadCell[] = [];
  for (const line of lines.map(withNormalisedName)) {
    const reason = problemOf(line, columns, names, delimiter);
    const bad = reason === null ? badCellsOf(line, columns, numbers) : [];
    badCells.push(...bad);
    if (reason !== null) problems.push({ line: line.number, place: `line ${line.number}`, reason });
    else if (bad.length === 0) {
      const described = resolved(classOf(line, columns, numbers), classes);
      const folder = line.fields[header.indexOf(examplesColumn)] ?? '';
      if (folder !== '') examples.set(described.name, resolve(dirname(path), folder));
      classes.push(described);
      numbersOf.set(described.name, line.number);
    }
    names.add(line.fields[0]);
  }
  for (const mistake of cellMistakes(badCells, columns, lines.length, numbers))
    problems.push({ ...mistake, reason: `${mistake.reason} Or leave what is not known empty.` });
  if (problems.length > 0)
    throw new Failure(
      'dataset-invalid',
      [
        'No class was added, because some lines cannot be used:',
        ...listed(
          problems
            .sort((a, b) => a.line - b.line)
            .map(({ place, reason }) => ({ file: `${path}, ${place}`, reason })),
          maxListed,
        ),
      ].join('\n'),
    );
  if (classes.length === 0) throw new Failure('dataset-invalid', `${path} describes no class.`);
  return { classes, examples, places: { path, header, lines: numbersOf } };
}

/** Two forms of one name are one class. */
function withNormalisedName({ number, fields: [name, ...cells] }: TableLine): TableLine {
  return { number, fields: [normalisedName(name), ...cells] };
}

/** No attribute. */
function isWords(column: string): boolean {
  return column === likeColumn || column === examplesColumn;
}

function classOf(
  { fields: [name, ...fields] }: TableLine,
  columns: readonly string[],
  numbers: NumberReader,
): TableClass {
  const attributes: Record<string, number> = {};
  let like: string | undefined;
  columns.forEach((column, k) => {
    if (fields[k] === '') return; // not known
    if (column === likeColumn) like = normalisedName(fields[k]);
    else if (!isWords(column)) attributes[column] = numbers.value(fields[k]);
  });
  return { name, attributes, ...(like !== undefined && { like }) };
}

/** A class like one that the table describes before it: the server need not know that one yet. */
function resolved(described: TableClass, earlier: readonly TableClass[]): TableClass {
  const model = earlier.find(({ name }) => name === described.like);
  if (!model) return described;
  const { name, attributes } = described;
  const { like } = model;
  return { name, attributes: { ...model.attributes, ...attributes }, ...(like !== undefined && { like }) };
}

function problemOf(
  line: TableLine,
  columns: readonly string[],
  known: ReadonlySet<string>,
  delimiter: string,
): string | null {
  const [name, ...fields] = line.fields;
  if (name === '') return 'the class has no name. Write one, or remove the line.';
  if (known.has(name)) return `the class "${name}" is described twice. Remove one of the lines.`;
  return fields.length === columns.length ? null : wrongCellCount(line, columns, delimiter);
}

function badCellsOf(
  { number, fields: [className, ...fields] }: TableLine,
  columns: readonly string[],
  numbers: NumberReader,
): BadCell[] {
  return fields.flatMap((cell, column) =>
    !isWords(columns[column]) && cell !== '' && Number.isNaN(numbers.value(cell))
      ? [{ line: number, column, className, cell }]
      : [],
  );
}
