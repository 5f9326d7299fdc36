/** Tables as people have them: separated by commas, semicolons (European Excel) or tabs, with or without a byte order mark. */
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { Failure } from '../../core/failures.js';
import { cannotOpen } from '../datasets/problems.js';

interface CsvTable {
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

const delimiters = [',', ';', '\t'] as const;

/** A CSV file with a header line. Lines may be too long or too short: the caller reports those. */
export async function readTable(path: string): Promise<CsvTable> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw cannotOpen(path, error);
  });
  const text = textOf(bytes, path);
  const declared = /^sep=(.)\r?\n/.exec(text)?.[1]; // Excel's own way to say it
  const skipped = declared === undefined ? 0 : 1;
  const delimiter = declared ?? delimiterOf(text);
  try {
    const parsed = parse(text, {
      delimiter,
      from_line: 1 + skipped,
      trim: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true, // Excel saves lines of nothing but separators
      relax_column_count: true,
      info: true,
    }) as unknown as { record: string[]; info: { lines: number } }[];
    const [header, ...lines] = parsed.map(({ record, info }) => ({ number: info.lines, fields: record }));
    return { path, header: (header as TableLine | undefined)?.fields ?? [], lines, delimiter };
  } catch (error) {
    throw new Failure('dataset-invalid', `${path} is not a proper CSV file: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function textOf(bytes: Buffer, path: string): string {
  const starts = (...start: number[]): boolean => start.every((byte, i) => bytes[i] === byte);
  const isZip = starts(0x50, 0x4b, 3, 4);
  if (isZip || starts(0xd0, 0xcf, 0x11, 0xe0))
    throw new Failure(
      'dataset-invalid',
      `${path} is a spreadsheet (${isZip ? 'such as .xlsx or .ods' : '.xls'}), not a CSV file. Open it, choose "Save As", the type "CSV UTF-8", and name that file instead.`,
    );
  if (starts(0xff, 0xfe)) return new TextDecoder('utf-16le').decode(bytes);
  if (starts(0xfe, 0xff)) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes); // without its byte order mark
  } catch {
    return new TextDecoder('windows-1252').decode(bytes); // what Excel's plain "CSV" is on Western systems
  }
}

/** The one that the header line has most of, outside of quotes. */
function delimiterOf(text: string): string {
  const header = text.slice(0, text.search(/[\r\n]|$/)).replace(/"[^"]*"/g, '');
  const counts = delimiters.map((delimiter) => header.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))];
}

/** A line with more or fewer cells than the header has. */
export function wrongCellCount(
  { fields: [name, ...values] }: TableLine,
  columns: readonly string[],
  delimiter: string,
): string {
  const count = `the class "${name}" has ${values.length} values for ${columns.length} columns.`;
  // The usual reason: 0,5 in a table whose cells are separated by commas, too.
  return values.length > columns.length && delimiter === ','
    ? `${count} Commas separate its cells: write decimals with a point, such as 0.5, or put them between double quotes.`
    : `${count} Add or remove values.`;
}
