/** The header line of a table of attributes: class,<attribute names>. */
import { Failure } from '../../core/failures.js';
import type { TableLine } from './read-table.js';

/** As spreadsheets call it: A, B, …, Z, AA. */
export function columnLetter(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetter(Math.floor(index / 26) - 1) + last;
}

/** A title, or cells merged over several columns, above the line that is the header. */
export function headerBelow(path: string, lines: readonly TableLine[]): Failure | null {
  const header = lines.find(({ fields }) => fields.length > 1 && fields[0].toLowerCase() === 'class');
  return header
    ? new Failure(
        'dataset-invalid',
        `${path}: the header line must be the first, but it is line ${header.number}. Remove the lines above it; each attribute needs its whole name in that one line.`,
      )
    : null;
}

export function checkHeader(path: string, header: readonly string[], lines: readonly TableLine[]): void {
  const wrong = (reason: string): Failure => new Failure('dataset-invalid', `${path}, line 1: ${reason}`);
  const [first = '', ...attributeNames] = header;
  if (header.length === 0 && lines.length === 0)
    throw new Failure(
      'dataset-invalid',
      `${path} is empty. It needs a header line (class,<attribute names>) and a line for each class.`,
    );
  const hasClass = first.toLowerCase() === 'class';
  const below = hasClass ? null : headerBelow(path, lines);
  if (below) throw below;
  if (!hasClass && attributeNames.length === 0)
    throw wrong('it must be a header line: class,<attribute names>.');
  if (!hasClass && attributeNames.every((name) => name !== '' && !Number.isNaN(Number(name))))
    throw wrong(
      `the table must begin with a header line: class,<attribute names>. It begins with: ${header.join(',')}`.slice(
        0,
        300,
      ),
    );
  if (!hasClass)
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
