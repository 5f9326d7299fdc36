/**
 * Rows in a file, read by their offsets: a features file that is too large for memory, and the scratch files that hold
 * what is made from it. Reading is synchronous on purpose: code that works on rows is then the same for rows in memory, and
 * repeated reads come from the operating system's page cache.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failures.js';
import { fromHalf } from '../../core/half.js';
import { bytesOf } from '../../core/hash.js';
import { matrix, roomLike, type RowRoom, type StoredRows } from '../../core/matrix.js';

/** Little-endian floats of 16, 32 or 64 bits, as .npy files name them. */
export type StoredType = '<f2' | '<f4' | '<f8';
const bytesPerValue: Readonly<Record<StoredType, number>> = { '<f2': 2, '<f4': 4, '<f8': 8 };

export interface StoredShape {
  readonly rows: number;
  readonly columns: number;
  readonly type: StoredType;
  /** Where in the file the first row begins. */
  readonly start: number;
}

class RowFile implements StoredRows {
  readonly isInMemory = false;
  readonly rows: number;
  readonly columns: number;

  constructor(
    private readonly file: number,
    private readonly path: string,
    private readonly shape: StoredShape,
    private readonly scratch: string,
  ) {
    this.rows = shape.rows;
    this.columns = shape.columns;
  }

  read(indices: ArrayLike<number>, target: Float32Array): void {
    for (let from = 0; from < indices.length;) {
      let to = from + 1;
      while (to < indices.length && indices[to] === indices[to - 1] + 1) to += 1; // consecutive rows in one read
      this.readRange(indices[from], target.subarray(from * this.columns, to * this.columns));
      from = to;
    }
  }

  private readRange(first: number, target: Float32Array): void {
    const { type, start } = this.shape;
    const width = bytesPerValue[type];
    const bytes = type === '<f4' ? bytesOf(target) : new Uint8Array(target.length * width);
    let position = start + first * this.columns * width;
    for (let done = 0; done < bytes.length;) {
      const count = readSync(this.file, bytes, done, bytes.length - done, position);
      if (count === 0)
        throw new Failure('dataset-invalid', `${this.path} has become shorter while it was being read.`);
      done += count;
      position += count;
    }
    if (type === '<f2') target.set(fromHalf(new Uint16Array(bytes.buffer)));
    if (type === '<f8') target.set(new Float64Array(bytes.buffer));
  }

  room(columns: number): RowRoom {
    return scratchRoom(this.scratch, columns);
  }

  release(): void {
    closeSync(this.file);
  }
}

/** Rows of a file that is shared and read-only. `scratch` is the folder for files derived from them. */
export function openStoredRows(path: string, shape: StoredShape, scratch: string): StoredRows {
  const file = openSync(path, 'r');
  const expected = shape.start + shape.rows * shape.columns * bytesPerValue[shape.type];
  const { size } = fstatSync(file);
  if (size !== expected) {
    closeSync(file);
    throw new Failure(
      'dataset-invalid',
      `${path} has ${size} bytes instead of ${expected}; it is truncated or damaged.`,
    );
  }
  return new RowFile(file, path, shape, scratch);
}

/** Features larger than this as float32 stay on disk: a training run needs about four times their size in memory. */
export const maxBytesInMemory = 2 ** 30;

/** Room for up to `rows` rows: in memory up to so many bytes, otherwise in a scratch file. */
export function roomFor(rows: number, columns: number, scratch: string, limit = maxBytesInMemory): RowRoom {
  const isLarge = 4 * rows * columns > limit;
  return isLarge ? scratchRoom(scratch, columns) : roomLike(matrix(0, columns), rows, columns);
}

let created = 0;

/** The file is unlinked once it is open, so the system frees it when it is closed or the process is killed. */
function scratchRoom(folder: string, columns: number): RowRoom {
  const path = join(folder, `.unseen-rows-${process.pid}-${++created}`);
  const file = onDisk(path, () => {
    mkdirSync(folder, { recursive: true });
    const opened = openSync(path, 'wx+');
    unlinkSync(path);
    return opened;
  });
  let rows = 0;
  return {
    append: ({ data, rows: more }) => {
      const bytes = bytesOf(data);
      onDisk(path, () => {
        for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
      });
      rows += more;
    },
    finish: () => new RowFile(file, path, { rows, columns, type: '<f4', start: 0 }, folder),
  };
}

function onDisk<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Failure(
      'training-failed',
      `Cannot write rows to ${path}: ${(error as Error).message}. Features that are too large for memory need about as much room on this disk.`,
      { cause: error },
    );
  }
}
