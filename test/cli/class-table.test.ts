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
