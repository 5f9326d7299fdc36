import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { Failure } from '../../core/failures.js';
import { cannotOpen } from '../datasets/problems.js';

interface Table {
  readonly path: string;
  readonly header: readonly string[];
  readonly lines: readonly TableLine[];
}

export interface TableLine {
  /** Counted from 1, as editors do. */
  readonly number: number;
  readonly fields: readonly string[];
}

/** A CSV file with a header line. Lines may be too long or too short: the caller reports those. */
export async function readTable(path: string): Promise<Table> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw cannotOpen(path, error);
  });
  try {
    const parsed = parse(text, {
      bom: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      info: true,
    }) as unknown as { record: string[]; info: { lines: number } }[];
    const [header, ...lines] = parsed.map(({ record, info }) => ({ number: info.lines, fields: record }));
    return { path, header: (header as TableLine | undefined)?.fields ?? [], lines };
  } catch (error) {
    throw new Failure('dataset-invalid', `${path} is not a proper CSV file: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
