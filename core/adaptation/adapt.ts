/**
 * Moves unseen classes to where unlabelled pictures say that they are. N pool rows, C classes of which U are unseen, D feature values.
 *
 *   repeat `rounds` times:
 *     P   = relaxed transport of the pool onto all classes and "none of these", C_nc = -x_n · p_c - bias_c / T
 *     m_c = what class c receives beyond what rows of seen classes send there by mistake
 *     p_c = posterior mean of where attributes (and labelled pictures) put the class and of the mean of what it received
 *
 * Seen classes take part and never move.
 */
import type { MatrixProducts } from '../compute/matrix-products.js';
import type { EvidenceModel } from '../fitting/evidence.js';
import type { AssignedPictures } from '../fitting/runtime-class.js';
import { directRows } from '../head/feature-map.js';
import { fromHalf, toHalf } from '../half.js';
import { matrix, rowOf, type Matrix, type RowSource } from '../matrix.js';
import type { AdaptationSettings, AdaptedClass, Adaptation } from './adaptation.js';
import { assign, type Assignment } from './assign.js';
import { ScoredRows } from './scored-rows.js';

export interface CompetingPrototype {
  readonly name: string;
  readonly seen: boolean;
  readonly prototype: Float32Array; // (D), of unit length
  /** What the class's score is raised by, in units of the cosine. */
  readonly bias: number;
  /** Labelled pictures behind the prototype, which the assigned ones are added to. */
  readonly labelled: AssignedPictures | null;
  /** Where attributes alone put it: (D), of unit length. */
  readonly attributed: Float32Array;
}

export interface AdaptationInput {
  readonly pool: RowSource; // (N, D), of unit length
  readonly classes: readonly CompetingPrototype[];
  /** Rows of seen classes, by which mistakes are measured: (R, D), of unit length. */
  readonly seenRows: Matrix;
  readonly evidence: EvidenceModel;
  /** Length of a class mean of unit rows. */
  readonly meanLength: number;
}

export const usualAdaptation: AdaptationSettings = { epsilon: 0.03, rho: 0.03, rounds: 6 };

export async function adapt(
  products: MatrixProducts,
  { pool, classes, seenRows, evidence, meanLength }: AdaptationInput,
  settings: AdaptationSettings = usualAdaptation,
): Promise<Adaptation> {
  const width = classes[0].prototype.length;
  const unseen = Int32Array.from(classes.keys()).filter((c) => !classes[c].seen);
  const offsets = Float64Array.from(classes, ({ bias }) => bias);
  const weights = matrix(classes.length, width);
  classes.forEach(({ prototype }, c) => {
    rowOf(weights, c).set(prototype);
  });
  const equal = new Float64Array(classes.length).fill(1 / classes.length);
  const firmness = new Float64Array(classes.length).fill(settings.rho);
  const assignTo = (rows: RowSource): Promise<Assignment> =>
    assign(new ScoredRows(products, rows, { weights, offsets, noneCost: null }), unseen, width, {
      epsilon: settings.epsilon,
      expected: equal,
      firmness,
    });
  const leaked = await assignTo(seenRows);
  let assigned: (AssignedPictures | null)[] = [];
  let found = await assignTo(pool);
  const mistakes = (c: number): number => pool.rows * leaked.masses[c];
  for (let round = 0; round < settings.rounds; round++) {
    assigned = Array.from(unseen, (c, k) => {
      const mass = pool.rows * found.masses[c];
      const excess = mass - mistakes(c);
      if (excess <= 0.5 * mass) return null;
      const mean = rowOf(found.sums, k).map((value) => value / mass);
      return { mean: fromHalf(toHalf(mean)), pictures: excess };
    });
    unseen.forEach((c, k) => {
      rowOf(weights, c).set(movedPrototype(classes[c], assigned[k], evidence, meanLength));
    });
    found = await assignTo(pool);
  }
  const ofUnseen = new Map(Array.from(unseen, (c, k) => [c, assigned[k]]));
  const adapted = classes.map(({ name, seen, prototype }, c): AdaptedClass => ({
    name,
    seen,
    pictures: pool.rows * found.masses[c],
    byMistake: seen ? 0 : Math.min(mistakes(c), pool.rows * found.masses[c]),
    moved: seen ? 0 : Math.max(0, 1 - cosine(prototype, rowOf(weights, c))),
    assigned: ofUnseen.get(c) ?? null,
  }));
  const unseenMass = adapted.reduce((sum, one) => sum + (one.seen ? 0 : one.pictures - one.byMistake), 0);
  return {
    pictures: pool.rows,
    classes: adapted,
    none: { share: 0, rows: new Int32Array(0) },
    unseenShare: unseenMass / pool.rows,
    transport: { iterations: found.iterations, marginalError: found.marginalError },
    expected: { before: 0, after: 0 },
    warnings: [],
  };
}

function movedPrototype(
  { prototype, attributed, labelled }: CompetingPrototype,
  assigned: AssignedPictures | null,
  evidence: EvidenceModel,
  meanLength: number,
): Float32Array {
  if (!assigned) return prototype;
  const pictures = assigned.pictures + (labelled?.pictures ?? 0);
  const mean = labelled
    ? assigned.mean.map(
        (value, k) => (assigned.pictures * value + labelled.pictures * labelled.mean[k]) / pictures,
      )
    : assigned.mean;
  const from = attributed.map((value) => meanLength * value);
  const moved = evidence.posteriorMean(from, mean, pictures);
  return directRows(matrix(1, moved.length, moved), 1).data;
}

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}
