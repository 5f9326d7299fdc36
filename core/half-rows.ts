/** Rows kept in memory in half precision: many features in half the space. They are decoded as they are read, some at a time. */
import { fromHalf, toHalf } from './half.js';
import { isStored, roomLike, type Matrix, type RowRoom, type RowSource, type StoredRows } from './matrix.js';

export class HalfRows implements StoredRows {
  readonly isInMemory = true;
  readonly rows: number;

  /** Each part holds whole rows. */
  constructor(
    private readonly parts: readonly Uint16Array[],
    readonly columns: number,
  ) {
    this.rows = parts.reduce((sum, part) => sum + part.length / columns, 0);
  }

  read(indices: ArrayLike<number>, target: Float32Array): void {
    const { columns } = this;
    let part = 0;
    let first = 0; // row of the part
    for (let i = 0; i < indices.length; i++) {
      if (indices[i] < first) part = first = 0;
      while (indices[i] >= first + this.parts[part].length / columns)
        first += this.parts[part++].length / columns;
      const start = (indices[i] - first) * columns;
      const halves = this.parts[part].subarray(start, start + columns);
      fromHalf(halves, target.subarray(i * columns, (i + 1) * columns));
    }
  }

  room(columns: number): RowRoom {
    return halfRoom(columns);
  }

  release(): void {
    // Nothing but memory is held.
  }
}

function halfRoom(columns: number): RowRoom {
  const parts: Uint16Array[] = [];
  return {
    append: ({ data }: Matrix) => {
      parts.push(toHalf(data));
    },
    finish: () => new HalfRows(parts, columns),
  };
}

/** Values that stay in full precision, in memory. */
const fewValues = 4_000_000;

/** Room for rows made from others: where those are, and in memory in half precision if they are many. */
export function compactRoomLike(source: RowSource, rows: number, columns: number): RowRoom {
  const isMany = rows * columns > fewValues;
  const isInMemory = !isStored(source) || source.isInMemory;
  return isMany && isInMemory ? halfRoom(columns) : roomLike(source, rows, columns);
}
