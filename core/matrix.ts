import { releaseOnFailure } from './release-on-failure.js';

/** A dense row-major matrix of 32-bit floats: the one shape in which features, attributes and weights travel. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float32Array;
}

/** Rows that are read when they are asked for: too many for memory, and so in a file, or kept in memory in another form. */
export interface StoredRows {
  readonly rows: number;
  readonly columns: number;
  readonly isInMemory: boolean;
  /** Copies the rows named into `target`, one after another. */
  read(indices: ArrayLike<number>, target: Float32Array): void;
  /** Room on disk for rows that are made from these; as many as these, they would not fit into memory either. */
  room(columns: number): RowRoom;
  /** Gives the file back. */
  release(): void;
}

/** Rows, wherever they are. What works on them reads them in pieces. */
export type RowSource = Matrix | StoredRows;

/** Room that is filled from the first row to the last. */
export interface RowRoom {
  append(rows: Matrix): void;
  finish(): RowSource;
}

export function isStored(source: RowSource): source is StoredRows {
  return 'read' in source;
}

/** Room for at most so many rows made from others, where those others are: in memory or on disk. */
export function roomLike(source: RowSource, rows: number, columns: number): RowRoom {
  if (isStored(source)) return source.room(columns);
  const whole = matrix(rows, columns);
  let filled = 0;
  return {
    append: ({ data }) => {
      whole.data.set(data, filled);
      filled += data.length;
    },
    finish: () => rowsBetween(whole, 0, filled / columns),
  };
}

/** The rows that `fill` appends. When it fails, a room on disk gives its file back. */
export function fillRoom(room: RowRoom, fill: (room: RowRoom) => void | Promise<void>): Promise<RowSource> {
  return releaseOnFailure(
    () => {
      releaseRows(room.finish());
    },
    async () => {
      await fill(room);
      return room.finish();
    },
  );
}

export function releaseRows(source: RowSource): void {
  if (isStored(source)) source.release();
}

export function matrix(rows: number, columns: number, data?: Float32Array): Matrix {
  if (data && data.length !== rows * columns) {
    throw new RangeError(`a ${rows} x ${columns} matrix needs ${rows * columns} values, not ${data.length}`);
  }
  return { rows, columns, data: data ?? new Float32Array(rows * columns) };
}

/** A view of one row: writing to it writes to the matrix. Of stored rows it is a copy. */
export function rowOf(source: RowSource, index: number): Float32Array {
  if (isStored(source)) return takeRows(source, [index]).data;
  return source.data.subarray(index * source.columns, (index + 1) * source.columns);
}

/** A copy of the rows named, in that order. */
export function takeRows(source: RowSource, indices: ArrayLike<number>): Matrix {
  const copied = matrix(indices.length, source.columns);
  copyRows(source, indices, copied.data);
  return copied;
}

/** The same into memory that is there already. */
export function copyRows(source: RowSource, indices: ArrayLike<number>, target: Float32Array): void {
  if (isStored(source)) source.read(indices, target);
  else for (let i = 0; i < indices.length; i++) target.set(rowOf(source, indices[i]), i * source.columns);
}

/** The rows named, in that order, without a copy: read from where they are when they are asked for. Its release leaves the source as it is. */
export function rowsAt(source: RowSource, indices: ArrayLike<number>): StoredRows {
  return {
    rows: indices.length,
    columns: source.columns,
    isInMemory: !isStored(source) || source.isInMemory,
    read: (wanted, target) => {
      copyRows(
        source,
        Array.from(wanted, (i) => indices[i]),
        target,
      );
    },
    room: (columns) => roomLike(source, indices.length, columns),
    release: () => undefined,
  };
}

/** Rows from `start` up to `end`: a view of a matrix, or a copy of stored rows. */
export function rowsBetween(source: RowSource, start: number, end: number): Matrix {
  const rows = Math.min(end, source.rows) - start;
  if (isStored(source))
    return takeRows(
      source,
      Array.from({ length: rows }, (_, i) => start + i),
    );
  return matrix(
    rows,
    source.columns,
    source.data.subarray(start * source.columns, (start + rows) * source.columns),
  );
}

/** All rows, from the first to the last, so many at a time; each piece as rowsBetween has it. */
export function* piecesOf(source: RowSource, rowsAtOnce = 1024): Generator<Matrix> {
  for (let start = 0; start < source.rows; start += rowsAtOnce)
    yield rowsBetween(source, start, start + rowsAtOnce);
}

/**
 * The same for whoever is done with a piece before the next one: pieces of stored rows are read into one and the same memory, which may be
 * given by whoever goes over rows again and again.
 */
export function* passingPiecesOf(
  source: RowSource,
  rowsAtOnce = 1024,
  memory = (length: number): Float32Array => new Float32Array(length),
): Generator<Matrix> {
  if (!isStored(source)) {
    yield* piecesOf(source, rowsAtOnce);
    return;
  }
  const { columns } = source;
  const buffer = memory(Math.min(rowsAtOnce, source.rows) * columns);
  for (let start = 0; start < source.rows; start += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, source.rows - start);
    const piece = matrix(rows, columns, buffer.subarray(0, rows * columns));
    source.read(
      Array.from({ length: rows }, (_, i) => start + i),
      piece.data,
    );
    yield piece;
  }
}

/** The matrices one under another. */
export function stackRows(parts: readonly Matrix[]): Matrix {
  const columns = parts[0]?.columns ?? 0;
  const stacked = matrix(
    parts.reduce((sum, part) => sum + part.rows, 0),
    columns,
  );
  let offset = 0;
  for (const part of parts) {
    if (part.columns !== columns)
      throw new RangeError(`cannot stack ${part.columns} columns under ${columns}`);
    stacked.data.set(part.data, offset);
    offset += part.data.length;
  }
  return stacked;
}
