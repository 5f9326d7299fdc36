/**
 * CNN features x -> mapped features s, which the generator imitates and whose direction the head sees (or, with
 * temperature null, s itself).
 *   minmax     s = max(0, (x^power - minimum) / range), per dimension; the paper's
 *   whitened   s = (u - mean) P with u = x^power / |x^power|, and P such that rows of one class vary alike in every
 *              direction: cosine distance then weighs what tells classes apart, not what varies most
 * The map is one ONNX graph, written when a model is trained and run as it is when it is served: the two cannot drift.
 */
import { Graph } from '../compute/graph.js';
import { BoundTensor, Session, type SessionOptions } from '../compute/session.js';
import {
  copyRows,
  fillRoom,
  matrix,
  rowOf,
  roomLike,
  type Matrix,
  type RowRoom,
  type RowSource,
} from '../matrix.js';

export type FittedFeatureMap =
  | {
      readonly kind: 'minmax';
      readonly power: number;
      readonly minimum: Float32Array;
      readonly range: Float32Array;
    }
  | {
      readonly kind: 'whitened';
      readonly power: number;
      readonly mean: Float32Array;
      readonly projection: Matrix;
    };

/** Rows in one run: enough to keep the processor busy, few enough to keep memory flat. */
const rowsPerRun = 256;
const smallestSquaredLength = 1e-24;

export function featureMapModel(map: FittedFeatureMap): Uint8Array {
  const graph = new Graph('features');
  const width = map.kind === 'minmax' ? map.minimum.length : map.mean.length;
  const raw = graph.input('features', ['rows', width]);
  const powered = graph.signedPower(raw, map.power);
  if (map.kind === 'minmax') {
    // A dimension that was constant in training carries no information: it becomes 0.
    const factor = map.range.map((range) => (range > 0 ? 1 / range : 0));
    const shifted = graph.subtract(powered, graph.constant([1, width], map.minimum));
    return graph.encode({ mapped: graph.relu(graph.multiply(shifted, graph.constant([1, width], factor))) });
  }
  const squares = graph.sum(graph.multiply(powered, powered), [1]);
  const unit = graph.divide(powered, graph.sqrt(graph.maximum(squares, graph.scalar(smallestSquaredLength))));
  const centred = graph.subtract(unit, graph.constant([1, width], map.mean));
  const { rows, columns, data } = map.projection;
  return graph.encode({ mapped: graph.matmul(centred, graph.constant([rows, columns], data)) });
}

export class FeatureMapper {
  private constructor(
    private readonly session: Session,
    private readonly mappedWidth: number,
  ) {}

  static async open(
    model: Uint8Array,
    mappedWidth: number,
    options: SessionOptions = {},
  ): Promise<FeatureMapper> {
    return new FeatureMapper(await Session.open(model, options), mappedWidth);
  }

  /** Mapped copies of the rows named, or of all. */
  async map(features: RowSource, rows?: ArrayLike<number>): Promise<Matrix> {
    const count = rows ? rows.length : features.rows;
    const mapped = matrix(count, this.mappedWidth);
    const block = blockFor(features, count);
    for (let start = 0; start < count; start += rowsPerRun) {
      const end = Math.min(count, start + rowsPerRun);
      const named = Array.from({ length: end - start }, (_, i) => (rows ? rows[start + i] : start + i));
      const into = mapped.data.subarray(start * this.mappedWidth, end * this.mappedWidth);
      await this.run(features, named, block, into);
    }
    return mapped;
  }

  /** The same, with the mapped rows kept where the raw ones are: rows too many for memory stay on disk. */
  mapAll(
    features: RowSource,
    rows: Int32Array,
    room: RowRoom = roomLike(features, rows.length, this.mappedWidth),
  ): Promise<RowSource> {
    // A room copies what is appended, so that one piece of memory serves all runs.
    const block = blockFor(features, rows.length);
    const mapped = new Float32Array(Math.min(rowsPerRun, rows.length) * this.mappedWidth);
    return fillRoom(room, async () => {
      for (let start = 0; start < rows.length; start += rowsPerRun) {
        const named = rows.subarray(start, start + rowsPerRun);
        const into = mapped.subarray(0, named.length * this.mappedWidth);
        await this.run(features, named, block, into);
        room.append(matrix(named.length, this.mappedWidth, into));
      }
    });
  }

  /** Maps the rows named, copied into `block` first. */
  private async run(
    features: RowSource,
    named: ArrayLike<number>,
    block: Float32Array,
    into: Float32Array,
  ): Promise<void> {
    const rows = matrix(named.length, features.columns, block.subarray(0, named.length * features.columns));
    copyRows(features, named, rows.data);
    await this.session.run(
      { features: BoundTensor.floats([rows.rows, rows.columns], rows.data) },
      { mapped: BoundTensor.floats([rows.rows, this.mappedWidth], into) },
    );
  }

  release(): Promise<void> {
    return this.session.release();
  }
}

function blockFor({ columns }: RowSource, rows: number): Float32Array {
  return new Float32Array(Math.min(rowsPerRun, rows) * columns);
}

/** Rows as the head sees them, in place: of one length, or of the length that they have where `temperature` is null. */
export function headRows(rows: Matrix, temperature: number | null): Matrix {
  return temperature === null ? rows : directRows(rows, temperature);
}

/**
 * Scales rows, in place, to one length. The cosine cost of training says nothing about the length of a generated row,
 * while a linear head would see it at once as a bias toward the seen classes: so only the direction enters the head.
 */
export function directRows(rows: Matrix, length: number): Matrix {
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    let squares = 0;
    for (let k = 0; k < row.length; k++) squares += row[k] * row[k];
    const factor = squares > smallestSquaredLength ? length / Math.sqrt(squares) : 0;
    for (let k = 0; k < row.length; k++) row[k] *= factor;
  }
  return rows;
}
