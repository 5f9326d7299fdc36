/** What a server refuses of a table of classes, in the lines and columns of that table: a JSON pointer is nothing to people with a spreadsheet. */
import { UnseenProblem } from '../client/index.js';
import { Failure } from '../core/failures.js';
import { groupedBy } from '../core/grouped-by.js';
import { listed } from '../trainer/extraction/attributes.js';
import { columnLetter } from '../trainer/extraction/table-header.js';
import { commandsFor } from './commands-for.js';

export interface TablePlaces {
  readonly path: string;
  /** Titles of all columns, "class" too. */
  readonly header: readonly string[];
  /** The line of each class, by its name. */
  readonly lines: ReadonlyMap<string, number>;
}

interface Mistake {
  readonly name: string;
  readonly column: string | null;
  readonly detail: string;
}

const maxListed = 30;

/** The error itself, where it is about something else. */
export function inTable(error: unknown, sent: readonly { name: string }[], table: TablePlaces): unknown {
  if (!(error instanceof UnseenProblem) || error.errors.length === 0) return error;
  const mistakes = error.errors.map(({ pointer, detail }) => mistakeAt(pointer, detail, sent));
  if (mistakes.includes(null)) return error;
  const lines = [
    ...groupedBy(mistakes as Mistake[], ({ column, detail }) => `${column}\n${detail}`).values(),
  ];
  const reasons = lines.map((alike) => ({
    file: `${table.path}, ${placeOf(alike, table)}`,
    reason: sentence(alike[0].detail),
  }));
  return new Failure(
    error.code,
    ['Some of the table does not fit the model:', ...listed(reasons, maxListed)].join('\n'),
    { cause: error },
  );
}

/** `/classes/3/attributes/colour::red`, or `/attributes/colour::red` of a single class. */
function mistakeAt(pointer: string, detail: string, sent: readonly { name: string }[]): Mistake | null {
  const found = /^(?:\/classes\/(\d+))?(?:\/(attributes|like|name)(?:\/(.+))?)?$/.exec(pointer);
  if (!found || pointer === '') return null;
  const [, index = '0', field, attribute] = found as (string | undefined)[];
  const name = sent.at(Number(index))?.name;
  if (name === undefined) return null;
  const column = attribute?.replaceAll('~1', '/').replaceAll('~0', '~');
  return { name, column: column ?? (field === 'like' ? field : null), detail };
}

/** A column that does not fit is wrong in every line, and told once. */
function placeOf(alike: readonly Mistake[], { header, lines }: TablePlaces): string {
  const [{ name, column }] = alike;
  const index = column === null ? -1 : header.indexOf(column);
  const where = index < 0 ? '' : `column ${columnLetter(index)} (${column})`;
  if (alike.length > 1 && where !== '') return where;
  const line = lines.get(name);
  const others = alike.length > 1 ? ` and ${alike.length - 1} more` : '';
  return `${line === undefined ? `"${name}"` : `line ${line} ("${name}")`}${others}${where === '' ? '' : `, ${where}`}`;
}

function sentence(detail: string): string {
  if (detail === 'exists with other attributes')
    return 'there is a class of this name with other attributes. Choose another name, or remove that class first with "unseen classes remove".';
  const text = commandsFor(detail).replace(/; GET \/attributes lists them/, '');
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
