import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../../core/failures.js';
import { matrix } from '../../../core/matrix.js';
import { readNpy, readNpyMatrix, writeNpyRows } from '../../../trainer/datasets/npy.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'unseen-npy-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

/** A file as numpy.save lays it out, with any header. */
async function file(header: string, data: Uint8Array, version = 1): Promise<string> {
  const length = Buffer.alloc(version === 1 ? 2 : 4);
  length.writeUInt16LE(header.length);
  const path = join(directory, 'made.npy');
  await writeFile(
    path,
    Buffer.concat([
      Buffer.from([0x93]),
      Buffer.from('NUMPY'),
      Buffer.from([version, 0]),
      length,
      Buffer.from(header, 'latin1'),
      data,
    ]),
  );
  return path;
}

const header = (type: string, shape: string, fortran = 'False'): string =>
  `{'descr': '${type}', 'fortran_order': ${fortran}, 'shape': ${shape}, }\n`;
const bytes = (array: { buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(array.buffer);

describe('reading .npy', () => {
  test.each([
    ['<f4', Float32Array.of(0.5, -1), [0.5, -1]],
    ['<f8', Float64Array.of(0.1, -1), [0.1, -1]],
    ['<i4', Int32Array.of(-7, 8), [-7, 8]],
    ['<i8', BigInt64Array.of(-7n, 2n ** 53n), [-7, 2 ** 53]],
  ])('reads %s in versions 1 and 2, aligned or not', async (type, data, expected) => {
    for (const version of [1, 2]) {
      for (const pad of ['', ' ', '   ']) {
        const { shape, values } = await readNpy(await file(header(type, '(2,)') + pad, bytes(data), version));
        expect([...values]).toEqual(expected);
        expect(shape).toEqual([2]);
      }
    }
  });

  test('Fortran order is turned into rows', async () => {
    // numpy.asfortranarray([[1, 2, 3], [4, 5, 6]])
    const path = await file(header('<f4', '(2, 3)', 'True'), bytes(Float32Array.of(1, 4, 2, 5, 3, 6)));
    expect(await readNpyMatrix(path)).toMatchObject({
      rows: 2,
      columns: 3,
      data: Float32Array.of(1, 2, 3, 4, 5, 6),
    });
  });

  test.each<[string, string, Uint8Array, RegExp]>([
    ['another type', header('<u2', '(2,)'), new Uint8Array(4), /<u2.*astype/],
    ['big-endian values', header('>f4', '(1,)'), new Uint8Array(4), />f4/],
    ['Python objects', header('|O', '(1,)'), new Uint8Array(8), /\|O/],
    ['too little data', header('<f4', '(3, 3)'), new Uint8Array(8), /8 bytes of data instead of 36/],
    ['too much data', header('<f4', '(1,)'), new Uint8Array(8), /truncated or damaged/],
    ['no shape', "{'descr': '<f4'}", new Uint8Array(8), /no shape/],
    [
      'three dimensions in Fortran order',
      header('<f4', '(1, 1, 1)', 'True'),
      new Uint8Array(4),
      /ascontiguousarray/,
    ],
  ])('%s is refused with the reason', async (_name, text, data, message) => {
    const path = await file(text, data);
    const failure = await readNpy(path).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect((failure as Failure).message).toMatch(message);
    expect((failure as Failure).message).toContain(path);
  });

  test('features must have two dimensions', async () => {
    const path = await file(header('<f4', '(2,)'), bytes(Float32Array.of(1, 2)));
    await expect(readNpyMatrix(path)).rejects.toThrow(/need two/);
  });

  test('a missing file is said to be missing', async () => {
    await expect(readNpy(join(directory, 'absent.npy'))).rejects.toMatchObject({ code: 'dataset-not-found' });
  });
});

test('what is written is read again exactly, and data begins at a multiple of 64', async () => {
  const path = join(directory, 'written.npy');
  const values = Float32Array.of(0.1, -0, 1e-40, 3e38, 5, 6);
  await writeNpyRows(path, matrix(2, 3, values));
  expect(await readNpy(path)).toEqual({ shape: [2, 3], values });
  expect((await readFile(path)).length % 64).toBe(values.byteLength % 64);
});

test('truncated or with bytes changed at random, a file gives values or a Failure', async () => {
  const path = join(directory, 'damaged.npy');
  await writeNpyRows(path, matrix(2, 2, Float32Array.of(1, 2, 3, 4)));
  const original = await readFile(path);
  const damage = fc.tuple(
    fc.integer({ min: 0, max: original.length }),
    fc.array(fc.tuple(fc.integer({ min: 0, max: original.length - 1 }), fc.integer({ min: 0, max: 255 })), {
      maxLength: 4,
    }),
    fc.boolean(),
  );
  await fc.assert(
    fc.asyncProperty(damage, async ([length, flips, truncate]) => {
      const changed = Buffer.from(original);
      for (const [where, value] of flips) changed[where] = value;
      await writeFile(path, truncate ? changed.subarray(0, length) : changed);
      await readNpyMatrix(path).catch((error: unknown) => {
        expect(error).toBeInstanceOf(Failure);
      });
    }),
    { numRuns: 300 },
  );
});
