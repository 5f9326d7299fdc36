/** A dense row-major matrix of 32-bit floats: the one shape in which features, attributes and weights travel. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float32Array;
}

export function matrix(rows: number, columns: number, data?: Float32Array): Matrix {
  if (data && data.length !== rows * columns) {
    throw new RangeError(`a ${rows} x ${columns} matrix needs ${rows * columns} values, not ${data.length}`);
  }
  return { rows, columns, data: data ?? new Float32Array(rows * columns) };
}

/** A view of one row: writing to it writes to the matrix. */
export function rowOf(source: Matrix, index: number): Float32Array {
  return source.data.subarray(index * source.columns, (index + 1) * source.columns);
}

/** A copy of the rows named, in that order. */
export function takeRows(source: Matrix, indices: ArrayLike<number>): Matrix {
  const taken = matrix(indices.length, source.columns);
  for (let i = 0; i < indices.length; i++) taken.data.set(rowOf(source, indices[i]), i * source.columns);
  return taken;
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
