import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../../core/failures.js';
import { stringsOf } from '../../../trainer/datasets/mat5/convert-values.js';
import { matBytes, valuesOf } from '../../../trainer/datasets/mat5/elements.js';
import { readMatFile } from '../../../trainer/datasets/mat5/reader.js';
import type { MatValue } from '../../../trainer/datasets/mat5/values.js';
import { writeMatFile } from '../../../trainer/datasets/mat5/writer.js';

let directory: string;
let files = 0;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'unseen-mat5-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

/** A MAT-file made by hand, in either byte order, so that the reader is not only tested against our own writer. */
class Bytes {
  constructor(readonly little = true) {}

  word(value: number): Buffer {
    const bytes = Buffer.alloc(4);
    if (this.little) bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  }

  words(...values: number[]): Buffer {
    return Buffer.concat(values.map((value) => this.word(value)));
  }

  element(type: number, data: Buffer, small = false): Buffer {
    if (small)
      return Buffer.concat([this.word((data.length << 16) | type), data, Buffer.alloc(4 - data.length)]);
    return Buffer.concat([this.words(type, data.length), data, Buffer.alloc((8 - (data.length % 8)) % 8)]);
  }

  array(arrayClass: number, dimensions: number[], name: string, content: Buffer): Buffer {
    const header = [
      this.element(6, this.words(arrayClass, 0)),
      this.element(5, this.words(...dimensions)),
      this.element(1, Buffer.from(name), name.length > 0 && name.length <= 4),
    ];
    const body = Buffer.concat([...header, content]);
    return Buffer.concat([this.words(14, body.length), body]);
  }

  compressed(array: Buffer): Buffer {
    const bytes = deflateSync(array);
    return Buffer.concat([this.words(15, bytes.length), bytes]);
  }

  file(...elements: Buffer[]): Buffer {
    const header = Buffer.alloc(128, ' ');
    header.write('MATLAB 5.0 MAT-file');
    header.write(this.little ? '\x00\x01IM' : '\x01\x00MI', 124, 'latin1');
    return Buffer.concat([header, ...elements]);
  }
}

async function read(content: Buffer, ...names: string[]): Promise<Map<string, MatValue>> {
  const path = join(directory, `${files++}.mat`);
  await writeFile(path, content);
  return readMatFile(path, names);
}

const numbers = (value: MatValue | undefined): number[] =>
  value?.kind === 'numbers' ? [...value.values] : [];
const little = new Bytes();

describe('the reader', () => {
  test.each([
    ['double', 6, 9, Buffer.from(Float64Array.of(0.1, -2, 1e300).buffer), [0.1, -2, 1e300]],
    ['single', 7, 7, Buffer.from(Float32Array.of(0.5, -2, 8).buffer), [0.5, -2, 8]],
    ['double stored as uint8', 6, 2, Buffer.from([1, 2, 255]), [1, 2, 255]],
    ['double stored as int16', 6, 3, Buffer.from(Int16Array.of(-1, 300, 7).buffer), [-1, 300, 7]],
    ['uint16', 11, 4, Buffer.from(Uint16Array.of(1, 65535, 7).buffer), [1, 65535, 7]],
    ['int32', 12, 5, Buffer.from(Int32Array.of(-5, 6, 7).buffer), [-5, 6, 7]],
    ['uint32', 13, 6, Buffer.from(Uint32Array.of(5, 6, 4294967295).buffer), [5, 6, 4294967295]],
    ['int64', 14, 12, Buffer.from(BigInt64Array.of(-5n, 6n, 7n).buffer), [-5, 6, 7]],
    ['uint64', 15, 13, Buffer.from(BigUint64Array.of(5n, 6n, 7n).buffer), [5, 6, 7]],
    ['int8', 8, 1, Buffer.from(Int8Array.of(-1, 2, 3).buffer), [-1, 2, 3]],
  ])('reads %s, plain, small and compressed', async (_name, arrayClass, type, data, expected) => {
    const array = little.array(arrayClass, [3, 1], 'x', little.element(type, data, data.length <= 4));
    for (const element of [array, little.compressed(array)]) {
      const value = (await read(little.file(element), 'x')).get('x');
      expect(numbers(value)).toEqual(expected);
      expect(value?.dimensions).toEqual([3, 1]);
    }
  });

  test('reads big-endian files', async () => {
    const big = new Bytes(false);
    const data = Buffer.from(Float32Array.of(1.5, -2).buffer).swap32();
    const names = Buffer.from(Uint16Array.of(72, 233).buffer).swap16();
    const content = big.file(
      big.array(7, [1, 2], 'x', big.element(7, data)),
      big.compressed(big.array(4, [1, 2], 'text', big.element(4, names))),
    );
    const found = await read(content, 'x', 'text');
    expect(numbers(found.get('x'))).toEqual([1.5, -2]);
    expect(found.get('text')).toMatchObject({ rows: ['Hé'] });
  });

  test('values that do not lie aligned are copied, not misread', () => {
    const shifted = Buffer.concat([Buffer.alloc(1), Buffer.from(Float64Array.of(0.1, 7).buffer)]);
    const element = { type: 9, start: 1, length: 16, next: 17 };
    expect([...valuesOf(matBytes(shifted, true), element)]).toEqual([0.1, 7]);
  });

  test('reads logical arrays, empty arrays and variables between others', async () => {
    const logical = little.array(0x0209, [2, 1], 'flag', little.element(2, Buffer.from([0, 1]), true));
    const empty = little.array(6, [0, 0], 'none', little.element(9, Buffer.alloc(0)));
    const other = little.compressed(
      little.array(6, [1, 1], 'other', little.element(2, Buffer.from([9]), true)),
    );
    const found = await read(little.file(other, logical, other, empty, other), 'flag', 'none', 'absent');
    expect(numbers(found.get('flag'))).toEqual([0, 1]);
    expect(found.get('none')?.dimensions).toEqual([0, 0]);
    expect([...found.keys()]).toEqual(['flag', 'none']);
  });

  test('objects that only MATLAB understands are passed over', async () => {
    const opaque = Buffer.concat([
      little.element(6, little.words(17, 0)),
      little.element(1, Buffer.from('table')),
    ]);
    const object = Buffer.concat([little.words(14, opaque.length), opaque]);
    const array = little.array(6, [1, 1], 'x', little.element(2, Buffer.from([5]), true));
    const found = await read(little.file(object, little.compressed(object), array), 'x', 'table');
    expect(numbers(found.get('x'))).toEqual([5]);
    expect(found.size).toBe(1);
  });

  test('reads text as UTF-8, UTF-16 and padded rows, and cells nested as xlsa17 nests them', async () => {
    const text = (value: string, type = 16): Buffer => {
      const bytes = type === 16 ? Buffer.from(value) : Buffer.from(value, 'utf16le');
      return little.array(4, [1, value.length], '', little.element(type, bytes));
    };
    const nested = little.array(1, [1, 1], '', text('antelope'));
    const names = little.array(
      1,
      [4, 1],
      'names',
      Buffer.concat([text('Häher'), text('尾', 17), nested, text('')]),
    );
    // Two rows, "ab" and "c ", column by column.
    const rows = little.array(4, [2, 2], 'rows', little.element(4, Buffer.from('acb ', 'utf16le')));
    const found = await read(little.file(little.compressed(names), rows), 'names', 'rows');
    expect(stringsOf(found.get('names')!)).toEqual(['Häher', '尾', 'antelope', '']);
    expect(stringsOf(found.get('rows')!)).toEqual(['ab', 'c']);
  });

  test('a single-precision matrix is a view of the inflated bytes, not a copy', async () => {
    const values = Float32Array.from({ length: 600 }, (_, i) => i / 7);
    const array = little.array(7, [20, 30], 'features', little.element(7, Buffer.from(values.buffer)));
    const value = (await read(little.file(little.compressed(array)), 'features')).get('features')!;
    expect(numbers(value)).toEqual([...values]);
    expect(value.kind === 'numbers' && value.values.byteOffset).toBeGreaterThan(0);
  });
});

describe('a file that cannot be read', () => {
  const array = little.array(6, [2, 1], 'x', little.element(2, Buffer.from([1, 2]), true));
  const badCount = little.array(6, [9, 9], 'x', little.element(2, Buffer.from([1, 2]), true));
  const hugeCell = little.array(1, [1e6, 1e6], 'x', Buffer.alloc(0));
  let deep = little.array(6, [0, 0], '', little.element(9, Buffer.alloc(0)));
  for (let i = 0; i < 200; i++) deep = little.array(1, [1, 1], 'x', deep);
  const hdf5 = Buffer.alloc(600, ' ');
  hdf5.write('MATLAB 7.3 MAT-file');
  const bomb = deflateSync(little.words(14, 0xfffffff0, 0, 0));

  test.each<[string, Buffer, RegExp]>([
    ['is version 7.3: says to save it with -v7', hdf5, /7\.3.*-v7/],
    ['is empty', Buffer.alloc(0), /truncated/],
    ['is something else', Buffer.alloc(400, 'x'), /no MATLAB level-5/],
    ['ends within a variable', little.file(array).subarray(0, -8), /truncated/],
    ['ends within a tag', Buffer.concat([little.file(array), Buffer.alloc(5)]), /truncated/],
    ['has damaged compressed bytes', little.file(little.words(15, 8, 1, 2)), /cannot be read/],
    ['promises impossible sizes', little.file(little.words(15, bomb.length), bomb), /cannot be read/],
    ['has dimensions that its data does not fill', little.file(badCount), /"x".*2 values instead of 81/],
    ['has a cell array larger than its bytes', little.file(hugeCell), /cell array/],
    ['nests cells without end', little.file(deep), /too deeply/],
    ['holds a struct', little.file(little.array(2, [1, 1], 'x', Buffer.alloc(8))), /struct/],
    ['holds complex numbers', little.file(little.array(0x0806, [1, 1], 'x', Buffer.alloc(8))), /complex/],
    ['holds a sparse matrix', little.file(little.array(5, [1, 1], 'x', Buffer.alloc(8))), /sparse/],
  ])('%s', async (_name, content, message) => {
    const failure = await read(content, 'x').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code: 'dataset-invalid' });
    expect((failure as Failure).message).toMatch(message);
    expect((failure as Failure).message).toContain(directory); // names the file
  });

  test('is missing', async () => {
    await expect(readMatFile(join(directory, 'absent.mat'), ['x'])).rejects.toMatchObject({
      code: 'dataset-not-found',
    });
  });

  test('truncated or with bytes changed at random, it gives a value or a Failure and never hangs', async () => {
    const path = join(directory, 'whole.mat');
    await writeMatFile(path, {
      features: { rows: 3, columns: 4, values: Float32Array.from({ length: 12 }, (_, i) => i) },
      names: ['one', 'two', 'three'],
    });
    const plain = little.file(
      little.array(1, [2, 1], 'names', Buffer.concat([array, array])),
      little.array(7, [2, 2], 'features', little.element(7, Buffer.from(Float32Array.of(1, 2, 3, 4).buffer))),
    );
    const originals = [await readFile(path), plain];
    const damage = fc.record({
      original: fc.integer({ min: 0, max: 1 }),
      keep: fc.double({ min: 0, max: 1, noNaN: true }),
      truncate: fc.boolean(),
      flips: fc.array(
        fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 255 })),
        { maxLength: 6 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ original, keep, truncate, flips }) => {
        const bytes = Buffer.from(originals[original]);
        for (const [where, value] of flips) bytes[Math.floor(where * bytes.length)] = value;
        const cut = truncate ? bytes.subarray(0, Math.floor(keep * bytes.length)) : bytes;
        const target = join(directory, 'damaged.mat');
        await writeFile(target, cut);
        await readMatFile(target, ['features', 'names']).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Failure);
        });
      }),
      { numRuns: 250 },
    );
  });
});

describe('the writer', () => {
  test('writes what the reader reads, exactly, and the same bytes every time', async () => {
    const [first, second] = [join(directory, 'first.mat'), join(directory, 'second.mat')];
    const variables = {
      features: { rows: 2, columns: 3, values: Float32Array.of(0.1, 1 / 3, -0, 1e-40, 5, 6) },
      att: { rows: 1, columns: 2, values: Float64Array.of(0.1, 1 / 3) },
      names: ['001.Häher', '', 'x'.repeat(300)],
    };
    await writeMatFile(first, variables);
    await writeMatFile(second, variables);
    expect(await readFile(first)).toEqual(await readFile(second));
    const found = await readMatFile(first, ['features', 'att', 'names']);
    expect(found.get('features')).toMatchObject({ dimensions: [2, 3], values: variables.features.values });
    expect(found.get('att')).toMatchObject({ dimensions: [1, 2], values: variables.att.values });
    expect(stringsOf(found.get('names')!)).toEqual(variables.names);
  });
});
