/**
 * Where known pictures lie among all feature rows, fitted on training rows (trainer/confidence/fit-geometry.ts) and stored in the bundle. D mapped
 * features, k directions in which the means of seen classes differ.
 *
 *   far        mean over features of ((s - mean) / deviation)^2, as a logarithm: what is nothing like the training pictures
 *   projected  y = (s / |s| - center) basis'   (k): what tells classes apart, and little else
 *   residual   |s / |s| - center|^2 - |y|^2: what is left beside these directions, more of it for what no class is like
 *
 * All come from one ONNX graph, so that a batch costs one small product beside the network.
 */
import type { NoveltyDescription } from '../../bundle/confidence-description.js';
import { Graph } from '../../compute/graph.js';
import { BoundTensor, Session, type SessionOptions } from '../../compute/session.js';
import { matrix, rowOf, rowsBetween, stackRows, type Matrix } from '../../matrix.js';

export interface NoveltyGeometry {
  readonly center: Float32Array; // (D): mean of the class means of unit rows
  readonly mean: Float32Array; // (D): of the mapped rows
  readonly deviation: Float32Array; // (D)
  readonly basis: Matrix; // (k, D), orthonormal
}

/** What is to be known of a picture's features beside its scores. */
export interface Observed {
  readonly far: Float32Array; // (n)
  readonly projected: Matrix; // (n, k)
  readonly residual: Float32Array; // (n)
}

const smallest = 1e-24;

/** As a bundle stores it: center, mean and deviation, then the basis. */
export function packGeometry({ center, mean, deviation, basis }: NoveltyGeometry): Matrix {
  return stackRows([...[center, mean, deviation].map((row) => matrix(1, row.length, row)), basis]);
}

export function unpackGeometry(packed: Matrix): NoveltyGeometry {
  const [center, mean, deviation] = [0, 1, 2].map((row) => rowOf(packed, row));
  return { center, mean, deviation, basis: rowsBetween(packed, 3, packed.rows) };
}

export class NoveltyObserver {
  private constructor(
    private readonly session: Session,
    private readonly geometry: NoveltyGeometry,
  ) {}

  static async open(geometry: NoveltyGeometry, options: SessionOptions = {}): Promise<NoveltyObserver> {
    return new NoveltyObserver(await Session.open(observerModel(geometry), options), geometry);
  }

  /** Of mapped rows, of the length that they have. */
  async observe(mapped: Matrix): Promise<Observed> {
    const { basis } = this.geometry;
    const far = new Float32Array(mapped.rows);
    const residual = new Float32Array(mapped.rows);
    const projected = matrix(mapped.rows, basis.rows);
    await this.session.run(
      { mapped: BoundTensor.floats([mapped.rows, mapped.columns], mapped.data) },
      {
        far: BoundTensor.floats([mapped.rows, 1], far),
        residual: BoundTensor.floats([mapped.rows, 1], residual),
        projected: BoundTensor.floats([mapped.rows, basis.rows], projected.data),
      },
    );
    return { far, projected, residual };
  }

  /** Where the pictures of a class lie by its head row: (k). */
  placeOf(
    weights: Float32Array,
    { meanLength, placement }: Pick<NoveltyDescription, 'meanLength' | 'placement'>,
  ): Float64Array {
    const pointed = pointedAt(this.geometry, weights, meanLength);
    return placement ? pointed.map((value, k) => placement.scale[k] * value + placement.shift[k]) : pointed;
  }

  release(): Promise<void> {
    return this.session.release();
  }
}

/**
 * Where a head row points, at the length that class means have: (k). A softmax tells classes apart by what they do not have in common, so that head rows
 * point farther away from the middle than the pictures of their classes lie.
 */
export function pointedAt(
  { basis, center }: Pick<NoveltyGeometry, 'basis' | 'center'>,
  weights: Float32Array,
  meanLength: number,
): Float64Array {
  let squares = 0;
  for (let d = 0; d < weights.length; d++) squares += weights[d] * weights[d];
  const factor = meanLength / Math.sqrt(Math.max(squares, smallest));
  const place = new Float64Array(basis.rows);
  for (let k = 0; k < basis.rows; k++) {
    const direction = rowOf(basis, k);
    let sum = 0;
    for (let d = 0; d < weights.length; d++) sum += (factor * weights[d] - center[d]) * direction[d];
    place[k] = sum;
  }
  return place;
}

function observerModel({ center, mean, deviation, basis }: NoveltyGeometry): Uint8Array {
  const graph = new Graph('novelty');
  const width = center.length;
  const mapped = graph.input('mapped', ['rows', width]);
  const row = (values: Float32Array) => graph.constant([1, width], values);
  const scaled = graph.multiply(graph.subtract(mapped, row(mean)), row(deviation.map((value) => 1 / value)));
  const square = graph.mean(graph.multiply(scaled, scaled), [1]);
  const squares = graph.sum(graph.multiply(mapped, mapped), [1]);
  const unit = graph.divide(mapped, graph.sqrt(graph.maximum(squares, graph.scalar(smallest))));
  const columns = new Float32Array(width * basis.rows); // the basis, transposed
  for (let k = 0; k < basis.rows; k++)
    for (let d = 0; d < width; d++) columns[d * basis.rows + k] = basis.data[k * width + d];
  const centered = graph.subtract(unit, row(center));
  const projected = graph.matmul(centered, graph.constant([width, basis.rows], columns));
  const lengthOf = (rows: typeof unit) => graph.sum(graph.multiply(rows, rows), [1]);
  return graph.encode({
    far: graph.log(graph.maximum(square, graph.scalar(smallest))),
    projected,
    residual: graph.subtract(lengthOf(centered), lengthOf(projected)),
  });
}
