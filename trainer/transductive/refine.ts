/**
 * Finds the unseen classes among unlabelled rows, by IPOT (Algorithm 2 of the paper):
 *
 *   p_c = mean direction of what the generator draws for class c;  m_c = p_c
 *   repeat `rounds` times:
 *     T = IPOT between rows and classes, C_nc = 1 - cos(x_n, m_c), row sums 1/n, column sums 1/U
 *     m_c = direction of  keep p_c + (1 - keep) direction of (sum_n T_nc x_n)
 *
 * x (n, D) unlabelled rows, p and m (U, D), T (n, U). The column sums assume that every class has about as many rows; that
 * keeps a class whose prototype is far off from losing all of its rows.
 */
import { directRows } from '../../core/head/feature-map.js';
import { drawsPerPrototype, meanDirections, type DrawSource } from '../../core/head/synthetic-rows.js';
import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import type { Random } from '../../core/random.js';
import type { TransductiveSettings } from '../configuration.js';
import type { TrainingData } from '../preparation/training-data.js';
import { cosineCosts } from '../transport/cosine-costs.js';
import { solveIpot } from '../transport/ipot.js';

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
export function refine(rows: Matrix, prototypes: Matrix, settings: TransductiveSettings): RefinedClasses {
  const unitRows = directRows(matrix(rows.rows, rows.columns, rows.data.slice()), 1);
  const { lambda, iterations } = settings;
  const planTo = (directions: Matrix): Matrix => {
    const cost = cosineCosts(unitRows, directions); // (n, U)
    return solveIpot({ cost }, { lambda, iterations, innerIterations: 1 }).plan;
  };
  let directions = prototypes;
  for (let round = 0; round < settings.rounds; round++)
    directions = movePrototypes(prototypes, unitRows, planTo(directions), settings.keep);
  return { directions, rows, ...mostConfident(planTo(directions)) };
}

function movePrototypes(prototypes: Matrix, rows: Matrix, plan: Matrix, keep: number): Matrix {
  const means = matrix(prototypes.rows, prototypes.columns);
  for (let n = 0; n < rows.rows; n++) {
    const row = rowOf(rows, n);
    for (let c = 0; c < means.rows; c++) {
      const share = plan.data[n * plan.columns + c];
      if (share < 1e-9) continue; // nearly all of a sharp plan is zero
      const mean = rowOf(means, c);
      for (let k = 0; k < row.length; k++) mean[k] += share * row[k];
    }
  }
  directRows(means, 1);
  for (let i = 0; i < means.data.length; i++)
    means.data[i] = keep * prototypes.data[i] + (1 - keep) * means.data[i];
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
