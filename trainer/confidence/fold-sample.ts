/**
 * What the measures of confidence need to know of a validation fold: how its head scores held-out rows, and where these and the classes lie. The bias
 * is chosen over all folds, so nothing can be fitted before; a sample of rows is kept instead. n rows, C classes, k directions.
 */
import { NoveltyObserver, type NoveltyGeometry } from '../../core/head/novelty/geometry.js';
import type { Spreads } from '../../core/head/novelty/likelihood-ratio.js';
import type { LinearHead } from '../../core/head/scorer.js';
import { lengthOf } from '../../core/head/synthetic-rows.js';
import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import type { Dataset } from '../datasets/dataset.js';
import { unseenMask, type ScoreRows } from '../evaluation/judge-rows.js';
import type { TrainingData } from '../preparation/training-data.js';
import { fitPlacement } from './fit-placement.js';
import type { Promises } from './promises.js';

export interface FoldSample extends Promises {
  readonly scores: Matrix; // (n, C), without the bias
  readonly labels: Int32Array; // (n)
  readonly isUnseen: Uint8Array; // (C): held out, or a rival
  readonly heldOut: Int32Array; // unseen classes that have rows
  readonly names: readonly string[]; // of these
  readonly far: Float32Array; // (n)
  readonly projected: Matrix; // (n, k)
  readonly residual: Float32Array; // (n)
  readonly places: Matrix; // (C, k)
  readonly rowLengths: Float32Array; // (C): of the head
  readonly spreads: Spreads;
}

/** Values of scores that are kept for each fold. */
const maxValues = 1 << 20;

export interface FittedGeometry {
  readonly geometry: NoveltyGeometry;
  readonly spreads: Spreads;
  readonly meanLength: number;
  /** Means of the training rows of seen classes along the directions, by label. */
  readonly classPlaces: ReadonlyMap<number, readonly number[]>;
}

/** Which rows are kept: all of them, or as many of seen as of held-out classes. */
export function sampledRows({ splits, classNames }: Dataset): Int32Array {
  const { testSeen, testUnseen } = splits;
  const most = Math.max(64, Math.floor(maxValues / classNames.length));
  if (testSeen.length + testUnseen.length <= most) return Int32Array.from([...testSeen, ...testUnseen]);
  const random = Random.stream(0, 'confidence-rows');
  const draw = (rows: Int32Array): Int32Array =>
    random
      .shuffle(rows.slice())
      .subarray(0, most / 2)
      .sort();
  return Int32Array.from([...draw(testSeen), ...draw(testUnseen)]);
}

export async function sampleFold(
  score: ScoreRows,
  head: LinearHead,
  dataset: Dataset,
  { mapper }: Pick<TrainingData, 'mapper'>,
  fitted: FittedGeometry,
  promises: (classes: Int32Array) => Promise<Promises>,
): Promise<FoldSample> {
  const { geometry, spreads, meanLength } = fitted;
  const rows = sampledRows(dataset);
  const labels = rows.map((row) => dataset.labels[row]);
  const isUnseen = unseenMask(dataset);
  const heldOut = Int32Array.from(new Set(labels.filter((label) => isUnseen[label]))).sort();
  const observer = await NoveltyObserver.open(geometry);
  try {
    const placing = { meanLength, placement: fitPlacement(head, fitted) };
    const places = matrix(head.weights.rows, geometry.basis.rows);
    for (let c = 0; c < places.rows; c++)
      rowOf(places, c).set(observer.placeOf(rowOf(head.weights, c), placing));
    return {
      scores: await score(rows),
      labels,
      isUnseen,
      heldOut,
      names: Array.from(heldOut, (label) => dataset.classNames[label]),
      ...(await observer.observe(await mapper.map(dataset.features, rows))),
      places,
      rowLengths: Float32Array.from({ length: places.rows }, (_, c) => lengthOf(rowOf(head.weights, c))),
      spreads,
      ...(await promises(heldOut)),
    };
  } finally {
    await observer.release();
  }
}

/** As JSON holds it. */
export function storeSample(sample: FoldSample) {
  const { scores, labels, isUnseen, heldOut, far, projected, places, spreads } = sample;
  return {
    scores: stored(scores),
    labels: Array.from(labels),
    isUnseen: Array.from(isUnseen),
    heldOut: Array.from(heldOut),
    names: sample.names,
    far: Array.from(far),
    projected: stored(projected),
    residual: Array.from(sample.residual),
    rowLengths: Array.from(sample.rowLengths),
    places: stored(places),
    spreads,
    syntheticScores: stored(sample.syntheticScores),
    nearest: Array.from(sample.nearest),
    crowding: Array.from(sample.crowding),
  };
}

type StoredSample = ReturnType<typeof storeSample>;

/** A run that an older version began has no names. */
export function restoreSample({
  names = [],
  ...sample
}: Omit<StoredSample, 'names'> & Partial<Pick<StoredSample, 'names'>>): FoldSample {
  return {
    names,
    scores: restored(sample.scores),
    labels: Int32Array.from(sample.labels),
    isUnseen: Uint8Array.from(sample.isUnseen),
    heldOut: Int32Array.from(sample.heldOut),
    far: Float32Array.from(sample.far),
    projected: restored(sample.projected),
    residual: Float32Array.from(sample.residual),
    rowLengths: Float32Array.from(sample.rowLengths),
    places: restored(sample.places),
    spreads: sample.spreads,
    syntheticScores: restored(sample.syntheticScores),
    nearest: Float32Array.from(sample.nearest),
    crowding: Float32Array.from(sample.crowding),
  };
}

interface StoredMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: string; // base64
}

function stored({ rows, columns, data }: Matrix): StoredMatrix {
  return {
    rows,
    columns,
    values: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
  };
}

function restored({ rows, columns, values }: StoredMatrix): Matrix {
  const bytes = Uint8Array.from(Buffer.from(values, 'base64')); // a buffer of its own, which floats can be laid over
  return matrix(rows, columns, new Float32Array(bytes.buffer));
}
