import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadDataset } from '../../../trainer/datasets/load.js';
import { splitByClasses } from '../../../trainer/datasets/split-by-classes.js';
import { writeXlsa17 } from '../../../trainer/datasets/write-xlsa17.js';
import { writeOpenForm } from '../../../trainer/datasets/write-open-form.js';
import { temporaryFolder } from '../../support/folders.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

const folder = temporaryFolder();
const dataset = syntheticDataset();
await writeXlsa17(dataset, join(folder, 'xlsa17'));
await writeOpenForm(dataset, join(folder, 'open'));
const names = ['class-002', 'class-007', 'class-011'];
const list = join(folder, 'testclasses.txt');
writeFileSync(list, `${names.join('\r\n')}\n\n`);

test.each(['xlsa17', 'open'])(
  'the standard split of the %s form: classes decide, and every row has a place',
  async (form) => {
    const found = await loadDataset(join(folder, form), { unseenClasses: list });
    expect(Array.from(found.unseen, (label) => found.classNames[label])).toEqual(names);
    const { train, testSeen, testUnseen } = found.splits;
    expect(testSeen).toHaveLength(0);
    expect(train.length + testUnseen.length).toBe(found.features.rows);
    expect(new Set(Array.from(testUnseen, (row) => found.classNames[found.labels[row]]))).toEqual(
      new Set(names),
    );
  },
);

test('a class is found in either form of its name', async () => {
  const [composed, apart] = ['NFC', 'NFD'].map((form) => 'Käuzchen'.normalize(form));
  const renamed = { ...dataset, classNames: dataset.classNames.with(2, apart), imageFiles: null };
  const file = join(folder, 'composed.txt');
  writeFileSync(file, composed);
  expect([...(await splitByClasses(renamed, file)).unseen]).toEqual([2]);
});

test('a class that does not exist, and a list of none, are refused by name', async () => {
  const wrong = join(folder, 'wrong.txt');
  writeFileSync(wrong, 'class-002\ndodo\n');
  const load = loadDataset(join(folder, 'open'), { unseenClasses: wrong });
  await expect(load).rejects.toMatchObject({
    code: 'dataset-invalid',
    message: expect.stringContaining('dodo') as string,
  });
  writeFileSync(wrong, '\n');
  await expect(loadDataset(join(folder, 'open'), { unseenClasses: wrong })).rejects.toThrow('names no class');
  const missing = loadDataset(join(folder, 'open'), { unseenClasses: join(folder, 'nothing') });
  await expect(missing).rejects.toMatchObject({ code: 'dataset-not-found' });
});
