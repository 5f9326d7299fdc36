import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readClassTable } from '../../cli/class-table.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const [composed, apart] = ['NFC', 'NFD'].map((form) => 'Häher'.normalize(form));

function table(...lines: string[]): string {
  const path = join(folder, 'classes.csv');
  writeFileSync(path, ['class,wing,like', ...lines].join('\n'));
  return path;
}

test('a class whose letters are written in two ways is described twice', async () => {
  await expect(readClassTable(table(`${composed},1,`, `${apart},0,`))).rejects.toThrow(
    /line 3: the class "Häher" is described twice/,
  );
});

test('a class like one further up is found in either form of its name', async () => {
  const { classes } = await readClassTable(table(`${composed},1,`, `Amsel,,${apart}`));
  expect(classes).toEqual([
    { name: composed, attributes: { wing: 1 } },
    { name: 'Amsel', attributes: { wing: 1 } },
  ]);
});

test('a mistake that goes through a column is told once, and a title above the header is named', async () => {
  const lines = ['Amsel', 'Drossel', 'Fink', 'Star'].map((name) => `${name},yes,`);
  await expect(readClassTable(table(...lines, 'Zeisig,one,'))).rejects.toThrow(
    /cannot be used:\n {2}- .*column B \(wing\): 5 cells are not numbers, such as "yes" \(line 2\) and "one" \(line 6\)\. .*Or leave what is not known empty\.$/,
  );
  const path = join(folder, 'titled.csv');
  writeFileSync(path, 'New birds,,\nclass,wing,like\nAmsel,1,\n');
  await expect(readClassTable(path)).rejects.toThrow('the header line must be the first, but it is line 2');
});
