/**
 * Batches for Algorithm 1 of the paper (lines 4 to 7). The generated rows of a batch carry the labels of its real rows, which makes the marginals
 * of the supervised plan exact; or, with `batchLabels` independent, labels drawn at random, as the paper has it. Each purpose draws from
 * a random stream of its own, and checkpoints hold the state of all of them.
 */
import { Failure } from '../../core/failures.js';
import { directRows } from '../../core/head/feature-map.js';
import { rowOf, takeRows, type Matrix } from '../../core/matrix.js';
import { Random, type RandomState } from '../../core/random.js';
import type { GeneratorSettings } from '../configuration.js';
import { predictClasses } from '../closed-form/kernel-ridge.js';
import type { InputValues } from '../engine/contract.js';
import { supervisedPlan } from '../transport/supervised.js';
import { competingClasses, type StepSizes } from './sizes.js';
import type { TrainingData } from '../preparation/training-data.js';

const purposes = ['rows', 'noise', 'dropout', 'transition', 'unseen'] as const;
type Purpose = (typeof purposes)[number];
export type BatchState = Readonly<Record<Purpose, RandomState>>;

/**
 * Rows of unseen classes without their labels (the transductive setting). `paired`: as many of them in a batch as of
 * labelled rows, beside these. `mixed`: a batch is drawn from both together, as the paper has it.
 */
export interface UnlabelledRows {
  readonly rows: Matrix; // (n, D), mapped
  readonly form: 'paired' | 'mixed';
}

/** The label of a row that has none. */
const unknown = -1;

export class BatchSource {
  private readonly random: Record<Purpose, Random>;
  private readonly rowsOfClass = new Map<number, number[]>();
  /** The classes in the regulariser's softmax, and the column of each. */
  private readonly competing: Int32Array;
  private readonly columnOf = new Map<number, number>();
  private readonly classAttributes: Float32Array;
  /** What the closed form predicts for every class, at the length of a row: (C, D). */
  private readonly bases: Matrix | null;

  constructor(
    private readonly data: TrainingData,
    private readonly sizes: StepSizes,
    private readonly settings: GeneratorSettings,
    seed: number,
    state?: BatchState,
    private readonly unlabelled: UnlabelledRows | null = null,
  ) {
    if (this.isIndependent && settings.discrimination > 0) {
      const other = this.mixed ? 'transductive.algorithm to "rounds"' : 'generator.batchLabels to "matched"';
      throw new Failure(
        'config-invalid',
        'The discrimination term needs generated rows of the class of every real row, and labels drawn at random do not ' +
          `give them. Set generator.discrimination to 0, or ${other}.`,
      );
    }
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
    this.bases = closedFormBases(data, settings);
    this.competing = competingClasses(data, settings);
    this.competing.forEach((label, position) => this.columnOf.set(label, position));
    this.classAttributes = new Float32Array(this.competing.length * data.attributes.columns);
    this.competing.forEach((label, position) => {
      this.classAttributes.set(rowOf(data.attributes, label), position * data.attributes.columns);
    });
  }

  get perEpoch(): number {
    return Math.max(1, Math.floor(this.rowCount / this.sizes.batch));
  }

  /** The rows that an epoch passes over: the labelled ones, and after them unlabelled ones that are mixed in. */
  private get rowCount(): number {
    return this.data.labels.length + (this.mixed?.rows ?? 0);
  }

  private get mixed(): Matrix | null {
    return this.unlabelled?.form === 'mixed' ? this.unlabelled.rows : null;
  }

  private get isIndependent(): boolean {
    return this.settings.batchLabels === 'independent' || this.mixed !== null;
  }

  save(): BatchState {
    return Object.fromEntries(
      purposes.map((purpose) => [purpose, this.random[purpose].save()]),
    ) as BatchState;
  }

  /** The batches of one epoch, drawn one at a time. */
  *epoch(): Generator<InputValues> {
    const chosen = this.settings.rowsPerClass > 0 && !this.mixed ? this.groupedRows() : this.shuffledRows();
    for (const rows of chosen) yield this.batch(rows);
  }

  private *shuffledRows(): Generator<number[]> {
    const { batch } = this.sizes;
    const everyRow = (): number[] => Array.from({ length: this.rowCount }, (_, row) => row);
    const order = this.random.rows.shuffle(everyRow());
    // A training set smaller than one batch is repeated until it fills one.
    while (order.length < batch) order.push(...this.random.rows.shuffle(everyRow()));
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
    const labelled = data.labels.length;
    rows.forEach((row, i) => {
      real.set(row < labelled ? rowOf(data.features, row) : rowOf(this.mixed!, row - labelled), i * D);
    });
    const labels = rows.map((row) => (row < labelled ? data.labels[row] : unknown));
    const generated = this.isIndependent
      ? labels.map(() => data.seen[this.random.rows.integer(data.seen.length)])
      : labels;
    const { unlabelled, mixed } = this;
    const withUnseen = settings.regulariseUnseen || unlabelled !== null;
    const unseen = withUnseen
      ? Array.from({ length: N }, () => data.unseen[this.random.unseen.integer(data.unseen.length)])
      : [];
    return {
      real,
      attributes: this.attributesOf(generated, settings.attributeDropout),
      noise: this.random.noise.fillNormal(new Float32Array(N * sizes.noise)),
      ...(this.bases && { base: this.basesOf(this.bases, generated) }),
      supervised: supervisedPlan(
        labels,
        mixed ? [...generated, ...unseen] : generated,
        settings.supervisedForm,
      ).data,
      sameClass: sameClass(labels),
      useTransport: this.random.transition.uniform() < settings.transportProbability,
      targets: this.targetsOf(labels),
      ...(this.isIndependent && { generatedTargets: this.targetsOf(generated) }),
      classAttributes: this.classAttributes,
      ...(withUnseen && {
        unseenAttributes: this.attributesOf(unseen, settings.attributeDropout),
        unseenNoise: this.random.unseen.fillNormal(new Float32Array(N * sizes.noise)),
        ...(this.bases && { unseenBase: this.basesOf(this.bases, unseen) }),
      }),
      ...(settings.regulariseUnseen && { unseenTargets: this.targetsOf(unseen) }),
      ...(unlabelled && !mixed && { unlabelled: this.drawRows(unlabelled.rows, N) }),
    };
  }

  private drawRows(rows: Matrix, count: number): Float32Array {
    const values = new Float32Array(count * rows.columns);
    for (let i = 0; i < count; i++) {
      values.set(rowOf(rows, this.random.unseen.integer(rows.rows)), i * rows.columns);
    }
    return values;
  }

  /** Encoded attributes with dropout; the values that are kept are scaled up, so that the mean stays the same. */
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

  private basesOf(bases: Matrix, labels: readonly number[]): Float32Array {
    return takeRows(bases, labels).data;
  }

  /** A 1 at each row's class; where some rows have none, more at the others, so that the mean is theirs alone. */
  private targetsOf(labels: readonly number[]): Float32Array {
    const targets = new Float32Array(labels.length * this.competing.length);
    const known = labels.reduce((count, label) => count + (label === unknown ? 0 : 1), 0);
    labels.forEach((label, i) => {
      if (label !== unknown)
        targets[i * this.competing.length + this.columnOf.get(label)!] = labels.length / known;
    });
    return targets;
  }
}

/**
 * A seen class as the closed form predicts it without having met it: the network then learns to correct what it will find
 * for unseen classes, too. Predicted by a fit that knows it, a seen class has hardly anything left to correct.
 */
function closedFormBases(data: TrainingData, { closedForm: kind }: GeneratorSettings): Matrix | null {
  if (!data.closedForm) return null;
  const bases = predictClasses(data.closedForm, data.attributes);
  const { heldOut } = data.closedForm;
  if (kind === 'held-out')
    data.seen.forEach((label, c) => {
      rowOf(bases, label).set(rowOf(heldOut, c));
    });
  return directRows(bases, data.meanLength);
}

function sameClass(labels: readonly number[]): Float32Array {
  const size = labels.length;
  const same = new Float32Array(size * size);
  for (let n = 0; n < size; n++)
    for (let m = 0; m < size; m++) if (labels[n] === labels[m]) same[n * size + m] = 1;
  return same;
}
