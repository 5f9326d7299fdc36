import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toHalf } from '../../../core/half.js';
import { bytesOf } from '../../../core/hash.js';
import { isStored, matrix, releaseRows, rowOf, rowsBetween, takeRows } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { loadDataset } from '../../../trainer/datasets/load.js';
import { fingerprint } from '../../../trainer/datasets/fingerprint.js';
import { openStoredRows, type StoredType } from '../../../trainer/datasets/stored-rows.js';
import { writeOpenForm } from '../../../trainer/datasets/write-open-form.js';
import { writeXlsa17 } from '../../../trainer/datasets/write-xlsa17.js';
import { temporaryFolder } from '../../support/folders.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';

const folder = temporaryFolder();
const [rows, columns, start] = [40, 6, 128];
// Values that halves have exactly.
const values = Float32Array.from({ length: rows * columns }, (_, i) => (i - 100) / 8);
const whole = matrix(rows, columns, values);

function file(type: StoredType): string {
  const path = join(folder, `rows-${type.slice(1)}`);
  const bytes = {
    '<f2': () => bytesOf(toHalf(values)),
    '<f4': () => bytesOf(values),
    '<f8': () => new Uint8Array(Float64Array.from(values).buffer),
  }[type]();
  writeFileSync(path, Buffer.concat([Buffer.alloc(start), bytes]));
  return path;
}

describe.each<StoredType>(['<f2', '<f4', '<f8'])('rows stored as %s', (type) => {
  const stored = openStoredRows(file(type), { rows, columns, type, start }, folder);

  test('are those of the file, one by one, in any order, and in ranges', () => {
    expect(stored).toMatchObject({ rows, columns });
    for (const row of [0, 7, rows - 1]) expect(rowOf(stored, row)).toEqual(rowOf(whole, row));
    const order = new Random(1).shuffle(Array.from({ length: rows }, (_, i) => i));
    expect(takeRows(stored, order)).toEqual(takeRows(whole, order));
    expect(takeRows(stored, [5, 6, 7, 3, 3, 4, 39])).toEqual(takeRows(whole, [5, 6, 7, 3, 3, 4, 39]));
    expect(rowsBetween(stored, 10, 30).data).toEqual(rowsBetween(whole, 10, 30).data);
    expect(rowsBetween(stored, 30, 1000).rows).toBe(10);
  });

  test('make room for others on disk, which leave no file behind', () => {
    const scratch = join(folder, `scratch-${type.slice(1)}`);
    const source = openStoredRows(file(type), { rows, columns, type, start }, scratch);
    const room = source.room(3);
    room.append(matrix(2, 3, Float32Array.of(1, 2, 3, 4, 5, 6)));
    room.append(matrix(1, 3, Float32Array.of(7, 8, 9)));
    const made = room.finish();
    expect(isStored(made)).toBe(true);
    expect(takeRows(made, [2, 0])).toEqual(matrix(2, 3, Float32Array.of(7, 8, 9, 1, 2, 3)));
    expect(readdirSync(scratch)).toEqual([]);
    releaseRows(made);
    releaseRows(source);
    expect(() => rowOf(made, 0)).toThrow();
  });
});

test('a file of another size than its shape says is refused, and one that shrinks is noticed', () => {
  const shape = { rows, columns, type: '<f4' as const, start };
  const path = file('<f4');
  expect(() => openStoredRows(path, { ...shape, rows: rows + 1 }, folder)).toThrow(/truncated or damaged/);
  const stored = openStoredRows(path, shape, folder);
  truncateSync(path, start + 10);
  expect(() => rowOf(stored, 5)).toThrow(/become shorter/);
});

test('a folder without a place for scratch files is named', () => {
  const path = join(folder, 'a-file');
  writeFileSync(path, '');
  const stored = openStoredRows(file('<f4'), { rows, columns, type: '<f4', start }, path);
  expect(() => stored.room(2)).toThrow(/Cannot write rows to .*a-file/);
});

describe('a dataset with its features on disk', async () => {
  const dataset = syntheticDataset();
  const path = join(folder, 'dataset');
  await writeOpenForm(dataset, path);

  test('has the same rows and the same fingerprint as one in memory', async () => {
    const [inMemory, onDisk] = [
      await loadDataset(path, { featuresIn: 'memory' }),
      await loadDataset(path, { featuresIn: 'disk' }),
    ];
    expect([isStored(inMemory.features), isStored(onDisk.features)]).toEqual([false, true]);
    expect(isStored((await loadDataset(path)).features)).toBe(false); // small ones are in memory
    expect(rowsBetween(onDisk.features, 0, onDisk.features.rows)).toEqual(inMemory.features);
    expect(fingerprint(onDisk)).toBe(fingerprint(dataset));
  });

  test('is written anew as it is, piece by piece', async () => {
    const copy = join(folder, 'copy');
    await writeOpenForm(await loadDataset(path, { featuresIn: 'disk' }), copy);
    expect(fingerprint(await loadDataset(copy))).toBe(fingerprint(dataset));
  });

  test('keeps every test row when training rows are limited, and always the same of those', async () => {
    const limited = await loadDataset(path, { rowsPerClass: 3 });
    const { train, ...test } = limited.splits;
    expect(train).toHaveLength(3 * dataset.seen.length);
    expect(test).toEqual({ testSeen: dataset.splits.testSeen, testUnseen: dataset.splits.testUnseen });
    expect(limited.seen).toEqual(dataset.seen);
    expect(Array.from(train)).toEqual(Array.from(train).sort((a, b) => a - b));
    expect((await loadDataset(path, { rowsPerClass: 3 })).splits.train).toEqual(train);
    expect((await loadDataset(path, { rowsPerClass: 1000 })).splits.train).toEqual(dataset.splits.train);
  });

  test('must be of our own form: a .mat file is read whole', async () => {
    const xlsa17 = join(folder, 'xlsa17');
    await writeXlsa17(dataset, xlsa17);
    await expect(loadDataset(xlsa17, { featuresIn: 'disk' })).rejects.toThrow(/unseen dataset convert/);
  });

  test('must lie row after row: Fortran order is refused with the way out', async () => {
    const fortran = join(folder, 'fortran');
    mkdirSync(fortran);
    const text = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }\n".padEnd(118);
    const header = Buffer.from(`\x93NUMPY\x01\x00${String.fromCharCode(text.length)}\x00${text}`, 'latin1');
    writeFileSync(join(fortran, 'features.npy'), Buffer.concat([header, new Uint8Array(16)]));
    writeFileSync(join(fortran, 'dataset.json'), '{"formatVersion": 1, "name": "x"}');
    await expect(loadDataset(fortran, { featuresIn: 'disk' })).rejects.toThrow(/ascontiguousarray/);
  });
});
