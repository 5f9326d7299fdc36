import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';

interface TestPicture {
  readonly file: string;
  /** Of the dataset that it was taken from. */
  readonly row: number;
}

/** The pictures of DIRECTORY/test-pictures, as test-pictures.csv lists them (file,class,split,row). */
export function testPictures(directory: string): TestPicture[] {
  const listed = parse(readFileSync(join(directory, 'test-pictures.csv'), 'utf8'), { columns: true });
  return (listed as unknown as { file: string; row: string }[]).map(({ file, row }) => ({
    file: join(directory, 'test-pictures', file),
    row: Number(row),
  }));
}
