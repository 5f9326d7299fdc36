/** Tables as people have them: separated by commas, semicolons (European Excel) or tabs, with or without a byte order mark. */
import { readFile } from 'node:fs/promises';
import { parse, type Options } from 'csv-parse/sync';
import { Failure } from '../../core/failures.js';
import { cannotOpen } from '../datasets/problems.js';
import { lineOfOpenQuote, tableText } from './table-text.js';

export interface CsvTable {
  readonly path: string;
  readonly header: readonly string[];
  readonly lines: readonly TableLine[];
  /** What separates its cells. */
  readonly delimiter: string;
}

export interface TableLine {
  /** Counted from 1, as editors do. */
  readonly number: number;
  readonly fields: readonly string[];
}

/** A CSV file with a header line. Lines may be too long or too short: the caller reports those. */
export async function readTable(path: string): Promise<CsvTable> {
  const numbers: number[] = [];
  const { cells, delimiter } = await parseFile(path, {
    relax_column_count: true,
    on_record: (fields, { lines }) => {
      numbers.push(lines);
      return fields;
    },
  });
  const [first = [], ...rest] = cells;
  const header = withoutEmptyEnd(first);
  const lines = rest.map((fields, i) => ({
    number: numbers[i + 1],
    fields: withoutEmptyEnd(fields, header.length),
  }));
  return { path, header, lines, delimiter };
}

/** The same, for files of a million lines: without their numbers, and all of one length. */
export async function readCells(path: string): Promise<string[][]> {
  return (await parseFile(path)).cells;
}

async function parseFile(
  path: string,
  options: Options = {},
): Promise<{ cells: string[][]; delimiter: string }> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw cannotOpen(path, error);
  });
  const text = tableText(bytes, path);
  const declared = /^sep=(.)\r?\n/.exec(text)?.[1]; // Excel's own way to say it
  const skipped = declared === undefined ? 0 : 1;
  const delimiter = declared ?? delimiterOf(text);
  try {
    const cells = parse(text, {
      delimiter,
      from_line: 1 + skipped,
      trim: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true, // Excel saves lines of nothing but separators
      ...options,
    });
    return { cells, delimiter };
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    const reason =
      code === 'CSV_QUOTE_NOT_CLOSED'
        ? `a double quote in line ${lineOfOpenQuote(text)} is opened and never closed. Close it, or remove it.`
        : message;
    throw new Failure('dataset-invalid', `${path} is not a proper CSV file: ${reason}`, { cause: error });
  }
}

/** Spreadsheets save empty columns at the right, of which the header knows nothing. */
function withoutEmptyEnd(fields: readonly string[], least = 0): readonly string[] {
  let length = fields.length;
  while (length > least && fields[length - 1] === '') length -= 1;
  return fields.slice(0, length);
}

/** What ends the first title, which has none in it; later ones may ("length, cm"). */
function delimiterOf(text: string): string {
  const header = text.slice(0, text.search(/[\r\n]|$/)).replace(/"[^"]*"/g, '');
  return /[,;\t]/.exec(header)?.[0] ?? ',';
}

/** A line with more or fewer cells than the header has. */
export function wrongCellCount(
  { fields: [name, ...values] }: TableLine,
  columns: readonly string[],
  delimiter: string,
): string {
  const count = `the class "${name}" has ${values.length} ${values.length === 1 ? 'value' : 'values'} for ${columns.length} columns.`;
  if (values.length < columns.length)
    return `${count} Find the missing one: if it is added in the wrong place, all values after it are shifted.`;
  const remedy = 'Find the surplus one: if another one is removed, all values after it are shifted.';
  // The usual reason: 0,5 in a table whose cells are separated by commas, too.
  const mayHaveDecimalCommas = delimiter === ',' && !values.some((value) => value.includes('.'));
  return mayHaveDecimalCommas
    ? `${count} Commas separate its cells: write decimals with a point, such as 0.5, or put them between double quotes. If it has none: ${remedy[0].toLowerCase()}${remedy.slice(1)}`
    : `${count} ${remedy}`;
}
