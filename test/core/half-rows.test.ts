/** Rows in half precision, read as any stored rows are. */
import { expect, test } from 'vitest';
import { fromHalf, toHalf } from '../../core/half.js';
import { compactRoomLike, HalfRows } from '../../core/half-rows.js';
import {
  isStored,
  matrix,
  rowsAt,
  rowsBetween,
  stackRows,
  takeRows,
  type Matrix,
} from '../../core/matrix.js';
import { Random } from '../../core/random.js';

const random = (rows: number, columns: number): Matrix =>
  matrix(rows, columns, Random.stream(1, 'half-rows').fillNormal(new Float32Array(rows * columns), 1));

test('rows of several parts are read in any order, as half precision has them', () => {
  const all = random(10, 4);
  const halves = toHalf(all.data);
  const rows = new HalfRows([halves.slice(0, 12), halves.slice(12, 16), halves.slice(16)], 4);
  const expected = matrix(10, 4, fromHalf(halves));
  expect(rows.rows).toBe(10);
  expect(rowsBetween(rows, 0, 10)).toEqual(expected);
  expect(takeRows(rows, [9, 3, 3, 0, 4])).toEqual(takeRows(expected, [9, 3, 3, 0, 4]));
});

test('many rows made from rows in memory take half the space, few keep all their digits, and rows on disk stay there', () => {
  const [many, few] = [1001, 10];
  const block = random(10, 4000);
  const filled = (rows: number) => {
    const room = compactRoomLike(block, rows, block.columns);
    room.append(block);
    return room.finish();
  };
  expect(filled(few)).toEqual(block);
  const compact = filled(many);
  expect(compact).toBeInstanceOf(HalfRows);
  expect(rowsBetween(compact, 0, 10).data).toEqual(fromHalf(toHalf(block.data)));
  const asked: number[] = [];
  const onDisk = {
    ...{ rows: many, columns: 4000, isInMemory: false, read: () => undefined, release: () => undefined },
    room: (columns: number) => (asked.push(columns), compactRoomLike(block, few, columns)),
  };
  expect(isStored(onDisk)).toBe(true);
  compactRoomLike(onDisk, many, 4000);
  expect(asked).toEqual([4000]);
  // Rows picked from a matrix, or from compact rows, are in memory as those are.
  for (const source of [block, compact]) {
    const made = compactRoomLike(rowsAt(source, [1, 0]), many, 4000);
    made.append(block);
    expect(made.finish()).toBeInstanceOf(HalfRows);
  }
  expect(stackRows([block]).rows).toBe(10);
});
