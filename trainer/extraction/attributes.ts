import { Failure } from '../../core/failures.js';
import { readTable, type TableLine } from './read-table.js';

/** What was left out of the dataset, and what to do about it. */
export interface LeftOut {
  /** A picture, or a line of a table. */
  readonly file: string;
  readonly reason: string;
}

interface ClassAttributes {
  readonly classNames: readonly string[];
  readonly attributeNames: readonly string[];
  readonly values: readonly (readonly number[])[]; // (classes, attributes)
  readonly leftOut: readonly LeftOut[];
}

/** `class,<attribute names>`, one line per class. A line that cannot be used excludes its class; the other lines are kept. */
export async function readAttributes(path: string): Promise<ClassAttributes> {
  const { header, lines } = await readTable(path);
  const [first, ...attributeNames] = header;
  if (first !== 'class' || attributeNames.length === 0)
    throw new Failure(
      'dataset-invalid',
      `${path} must begin with a header line: class,<attribute names>. It begins with: ${header.join(',')}`,
    );
  const classNames: string[] = [];
  const values: number[][] = [];
  const leftOut: LeftOut[] = [];
  for (const line of lines) {
    const problem = problemOf(line, attributeNames, classNames);
    if (problem !== null) {
      leftOut.push({ file: `${path}, line ${line.number}`, reason: problem });
      continue;
    }
    classNames.push(line.fields[0]);
    values.push(line.fields.slice(1).map(Number));
  }
  if (classNames.length === 0) {
    const reasons = leftOut.map(({ file, reason }) => `  - ${file}: ${reason}`).slice(0, 5);
    throw new Failure('dataset-invalid', [`${path} describes no class.`, ...reasons].join('\n'));
  }
  return { classNames, attributeNames, values, leftOut };
}

function problemOf(
  { fields: [name, ...fields] }: TableLine,
  attributeNames: readonly string[],
  known: readonly string[],
): string | null {
  if (name === '') return 'the class has no name. Write one, or remove the line.';
  if (known.includes(name)) return `the class "${name}" is described twice. Remove one of the lines.`;
  if (fields.length !== attributeNames.length)
    return `the class "${name}" has ${fields.length} values for ${attributeNames.length} attributes. Add or remove values.`;
  const bad = fields.findIndex((field) => field === '' || !Number.isFinite(Number(field)));
  if (bad >= 0)
    return `"${fields[bad]}" for ${attributeNames[bad]} of the class "${name}" is not a number. Write a number, such as 0 or 0.5; until then the class is left out.`;
  return null;
}
