/**
 * Finds the unseen classes among unlabelled rows, by the transport that `unseen adapt` rests on (core/adaptation/relaxed-transport.ts):
 *
 *   p_c = mean direction of what the generator draws for class c;  m_c = p_c
 *   repeat `rounds` times:
 *     P = relaxed transport of rows onto classes, C_nc = 1 - cos(x_n, m_c), row sums 1/n, column sums held to 1/U by rho KL
 *     k_c = min(1 - keep, a_c / (a_c + attributePictures))        a_c = n sum_n P_nc: the rows that class c receives
 *     m_c = direction of  (1 - k_c) p_c + k_c direction of (sum_n P_nc x_n)
 *
 * x (n, D) unlabelled rows, p and m (U, D), P (n, U). Rows belong to unseen classes and to no other; how many there are of each is not known.
 * `masses: equal` takes them to be equally many, as the paper does: that keeps a class whose prototype is far off from losing all of its
 * rows, and does harm where it is not so (docs/experiments.md).
 */
import { solveRelaxed } from '../../core/adaptation/relaxed-transport.js';
import { fillShares } from '../../core/adaptation/shares.js';
import { directRows } from '../../core/head/feature-map.js';
import { drawsPerPrototype, meanDirections, type DrawSource } from '../../core/head/synthetic-rows.js';
import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import type { Random } from '../../core/random.js';
import type { TransductiveSettings } from '../configuration.js';
import type { TrainingData } from '../preparation/training-data.js';
import { cosineCosts } from '../transport/cosine-costs.js';

const limits = { maxIterations: 500, tolerance: 1e-4 };

export interface RefinedClasses {
  readonly directions: Matrix; // (U, D), of unit length, in the order of the unseen classes
  readonly rows: Matrix; // (n, D): the unlabelled rows
  readonly classes: Int32Array; // (n): for each row a position among the unseen classes
  readonly confidence: Float32Array; // (n): the share of the row's mass that goes to its class, 0 .. 1
}

export async function refineClasses(
  { attributes, unseen }: Pick<TrainingData, 'attributes' | 'unseen'>,
  rows: Matrix, // (n, D)
  synthesiser: DrawSource,
  settings: TransductiveSettings,
  random: Random,
): Promise<RefinedClasses> {
  const drawn = await synthesiser.draw(attributes, unseen, drawsPerPrototype, random);
  return refine(rows, meanDirections(drawn, drawsPerPrototype), settings);
}

/** `prototypes` has unit rows (U, D). */
export async function refine(
  rows: Matrix,
  prototypes: Matrix,
  settings: TransductiveSettings,
): Promise<RefinedClasses> {
  const unitRows = directRows(matrix(rows.rows, rows.columns, rows.data.slice()), 1);
  let directions = prototypes;
  for (let round = 0; round < settings.rounds; round++)
    directions = movePrototypes(prototypes, unitRows, await planTo(unitRows, directions, settings), settings);
  return { directions, rows, ...mostConfident(await planTo(unitRows, directions, settings)) };
}

/** The share of each row that each class receives: (n, U), row sums 1. */
async function planTo(
  rows: Matrix,
  directions: Matrix,
  { masses, rho, epsilon }: TransductiveSettings,
): Promise<Matrix> {
  const cost = cosineCosts(rows, directions); // (n, U)
  const { columns } = cost;
  const costs = {
    rows: cost.rows,
    columns,
    visit: (visitor: (part: Matrix, start: number) => void): Promise<void> => {
      visitor(cost, 0);
      return Promise.resolve();
    },
  };
  const { potentials } = await solveRelaxed(
    {
      costs,
      epsilon,
      expected: new Float64Array(columns).fill(1 / columns),
      firmness: new Float64Array(columns).fill(masses === 'equal' ? Infinity : rho),
    },
    limits,
  );
  const plan = matrix(cost.rows, columns);
  const shares = new Float64Array(columns);
  for (let n = 0; n < cost.rows; n++) {
    fillShares(shares, cost.data, n * columns, potentials, epsilon);
    plan.data.set(shares, n * columns);
  }
  return plan;
}

function movePrototypes(
  prototypes: Matrix,
  rows: Matrix,
  plan: Matrix,
  { keep, attributePictures }: TransductiveSettings,
): Matrix {
  const means = matrix(prototypes.rows, prototypes.columns);
  const received = new Float64Array(means.rows);
  for (let n = 0; n < rows.rows; n++) {
    const row = rowOf(rows, n);
    for (let c = 0; c < means.rows; c++) {
      const share = plan.data[n * plan.columns + c];
      received[c] += share;
      if (share < 1e-6) continue; // nearly all of a sharp plan is zero
      const mean = rowOf(means, c);
      for (let k = 0; k < row.length; k++) mean[k] += share * row[k];
    }
  }
  directRows(means, 1);
  for (let c = 0; c < means.rows; c++) {
    const shareOfRows = received[c] / (received[c] + attributePictures);
    const moves = received[c] > 0 ? Math.min(1 - keep, shareOfRows) : 0; // k_c
    const [mean, prototype] = [rowOf(means, c), rowOf(prototypes, c)];
    for (let k = 0; k < mean.length; k++) mean[k] = (1 - moves) * prototype[k] + moves * mean[k];
  }
  return directRows(means, 1);
}

/** For each row the class that receives most of its mass, and the share that it receives. */
function mostConfident({ rows, columns, data }: Matrix): Pick<RefinedClasses, 'classes' | 'confidence'> {
  const classes = new Int32Array(rows);
  const confidence = new Float32Array(rows);
  for (let n = 0; n < rows; n++) {
    const shares = data.subarray(n * columns, (n + 1) * columns);
    classes[n] = shares.reduce((best, share, c) => (share > shares[best] ? c : best), 0);
    confidence[n] = shares[classes[n]] / shares.reduce((sum, share) => sum + share, 0);
  }
  return { classes, confidence };
}
