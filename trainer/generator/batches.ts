/**
 * Batches for Algorithm 2. The generated rows of a batch carry the labels of its real rows, which makes the marginals
 * of the supervised plan exact. Each kind of chance has a stream of its own, and all of them are saved in checkpoints.
 */
import { rowOf, type Matrix } from '../../core/matrix.js';
import { Random, type RandomState } from '../../core/random.js';
import type { GeneratorSettings } from '../configuration.js';
import type { InputValues } from '../engine/contract.js';
import { supervisedPlan } from '../transport/supervised.js';
import type { StepSizes } from './step.js';
import type { TrainingData } from './training-data.js';

const purposes = ['rows', 'noise', 'dropout', 'transition', 'unseen'] as const;
type Purpose = (typeof purposes)[number];
export type BatchState = Readonly<Record<Purpose, RandomState>>;

export class BatchSource {
  private readonly random: Record<Purpose, Random>;
  private readonly rowsOfClass = new Map<number, number[]>();
  /** Where each class stands among those that compete in the regulariser. */
  private readonly rivals: Int32Array;
  private readonly rivalOf = new Map<number, number>();
  private readonly classAttributes: Float32Array;

  constructor(
    private readonly data: TrainingData,
    private readonly sizes: StepSizes,
    private readonly settings: GeneratorSettings,
    seed: number,
    state?: BatchState,
    /** Rows of unseen classes that join the real ones. */
    private readonly unlabelled: Matrix | null = null,
  ) {
    const stream = (purpose: Purpose): Random =>
      state ? Random.restore(state[purpose]) : Random.stream(seed, `batches.${purpose}`);
    this.random = Object.fromEntries(purposes.map((purpose) => [purpose, stream(purpose)])) as Record<
      Purpose,
      Random
    >;
    data.labels.forEach((label, row) => {
      const rows = this.rowsOfClass.get(label) ?? [];
      rows.push(row);
      this.rowsOfClass.set(label, rows);
    });
    this.rivals = rivalClasses(data, settings);
    this.rivals.forEach((label, position) => this.rivalOf.set(label, position));
    this.classAttributes = new Float32Array(this.rivals.length * data.attributes.columns);
    this.rivals.forEach((label, position) => {
      this.classAttributes.set(rowOf(data.attributes, label), position * data.attributes.columns);
    });
  }

  get perEpoch(): number {
    return Math.max(1, Math.floor(this.data.labels.length / this.sizes.batch));
  }

  save(): BatchState {
    return Object.fromEntries(
      purposes.map((purpose) => [purpose, this.random[purpose].save()]),
    ) as BatchState;
  }

  /** The batches of one epoch, drawn one at a time. */
  *epoch(): Generator<InputValues> {
    const chosen = this.settings.rowsPerClass > 0 ? this.groupedRows() : this.shuffledRows();
    for (const rows of chosen) yield this.batch(rows);
  }

  private *shuffledRows(): Generator<number[]> {
    const { batch } = this.sizes;
    const order = this.random.rows.shuffle(Array.from(this.data.labels.keys()));
    // A training set smaller than one batch is gone round more than once.
    while (order.length < batch) order.push(...this.random.rows.shuffle(Array.from(this.data.labels.keys())));
    for (let i = 0; i < this.perEpoch; i++) yield order.slice(i * batch, (i + 1) * batch);
  }

  private *groupedRows(): Generator<number[]> {
    const { batch } = this.sizes;
    const { rowsPerClass } = this.settings;
    const labels = [...this.rowsOfClass.keys()];
    let pool: number[] = [];
    for (let i = 0; i < this.perEpoch; i++) {
      const rows: number[] = [];
      while (rows.length < batch) {
        if (pool.length === 0) pool = this.random.rows.shuffle([...labels]);
        const own = this.rowsOfClass.get(pool.pop()!)!;
        const wanted = Math.min(rowsPerClass, batch - rows.length);
        for (let k = 0; k < wanted; k++) rows.push(own[this.random.rows.integer(own.length)]);
      }
      yield rows;
    }
  }

  private batch(rows: readonly number[]): InputValues {
    const { data, settings, sizes } = this;
    const { batch: N, features: D } = sizes;
    const real = new Float32Array(N * D);
    rows.forEach((row, i) => {
      real.set(rowOf(data.features, row), i * D);
    });
    const labels = rows.map((row) => data.labels[row]);
    const { unlabelled } = this;
    const withUnseen = settings.regulariseUnseen || unlabelled !== null;
    const unseen = withUnseen
      ? Array.from({ length: N }, () => data.unseen[this.random.unseen.integer(data.unseen.length)])
      : [];
    return {
      real,
      attributes: this.attributesOf(labels, settings.attributeDropout),
      noise: this.random.noise.fillNormal(new Float32Array(N * sizes.noise)),
      supervised: supervisedPlan(labels, labels, settings.supervisedForm).data,
      sameClass: sameClass(labels),
      useTransport: this.random.transition.uniform() < settings.transportProbability,
      targets: this.targetsOf(labels),
      classAttributes: this.classAttributes,
      ...(withUnseen && {
        unseenAttributes: this.attributesOf(unseen, settings.attributeDropout),
        unseenNoise: this.random.unseen.fillNormal(new Float32Array(N * sizes.noise)),
      }),
      ...(settings.regulariseUnseen && { unseenTargets: this.targetsOf(unseen) }),
      ...(unlabelled && { unlabelled: this.drawn(unlabelled, N) }),
    };
  }

  private drawn(rows: Matrix, count: number): Float32Array {
    const values = new Float32Array(count * rows.columns);
    for (let i = 0; i < count; i++) {
      values.set(rowOf(rows, this.random.unseen.integer(rows.rows)), i * rows.columns);
    }
    return values;
  }

  /** Encoded attributes with a share of them blanked, the rest scaled up to make good for it. */
  private attributesOf(labels: readonly number[], dropout: number): Float32Array {
    const d = this.data.attributes.columns;
    const values = new Float32Array(labels.length * d);
    labels.forEach((label, i) => {
      values.set(rowOf(this.data.attributes, label), i * d);
    });
    if (dropout > 0) {
      for (let i = 0; i < values.length; i++) {
        values[i] = this.random.dropout.uniform() < dropout ? 0 : values[i] / (1 - dropout);
      }
    }
    return values;
  }

  private targetsOf(labels: readonly number[]): Float32Array {
    const targets = new Float32Array(labels.length * this.rivals.length);
    labels.forEach((label, i) => (targets[i * this.rivals.length + this.rivalOf.get(label)!] = 1));
    return targets;
  }
}

/** The classes over which the regulariser's softmax runs: all of them only when unseen ones are regularised too. */
export function rivalClasses(data: TrainingData, settings: GeneratorSettings): Int32Array {
  return settings.regulariseUnseen ? Int32Array.from([...data.seen, ...data.unseen]) : data.seen;
}

function sameClass(labels: readonly number[]): Float32Array {
  const size = labels.length;
  const same = new Float32Array(size * size);
  for (let n = 0; n < size; n++)
    for (let m = 0; m < size; m++) if (labels[n] === labels[m]) same[n * size + m] = 1;
  return same;
}
