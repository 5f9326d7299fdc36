/**
 * Finds the unseen classes among unlabelled rows, by the same transport as everywhere (Algorithm 1):
 *
 *   p_c = mean direction of what the generator draws for class c;  m_c = p_c
 *   repeat `rounds` times:
 *     T = IPOT between rows and classes, C_nc = 1 - cos(x_n, m_c), row sums 1/n, column sums 1/U
 *     m_c = direction of  keep p_c + (1 - keep) direction of (sum_n T_nc x_n)
 *
 * x (n, D) unlabelled rows, p and m (U, D), T (n, U). The column sums say that every class has about as many rows; that is
 * what keeps a class whose prototype is far off from going without any.
 */
import { directRows } from '../../core/head/feature-map.js';
import { drawsPerPrototype, meanDirections, type DrawSource } from '../../core/head/synthetic-rows.js';
import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import type { Random } from '../../core/random.js';
import type { TransductiveSettings } from '../configuration.js';
import type { TrainingData } from '../generator/training-data.js';
import { solveIpot } from '../transport/ipot.js';
import type { TransportResult } from '../transport/problem.js';

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

export function refine(rows: Matrix, prototypes: Matrix, settings: TransductiveSettings): RefinedClasses {
  const directed = directRows(matrix(rows.rows, rows.columns, rows.data.slice()), 1);
  let directions = prototypes;
  for (let round = 0; round < settings.rounds; round++) {
    const { plan } = assign(directed, directions, settings);
    directions = moved(prototypes, directed, plan, settings.keep);
  }
  const { plan } = assign(directed, directions, settings);
  return { directions, rows, ...surest(plan) };
}

function assign(rows: Matrix, directions: Matrix, settings: TransductiveSettings): TransportResult {
  const cost = matrix(rows.rows, directions.rows);
  for (let n = 0; n < rows.rows; n++) {
    const row = rowOf(rows, n);
    for (let c = 0; c < directions.rows; c++) {
      const direction = rowOf(directions, c);
      let cosine = 0;
      for (let k = 0; k < row.length; k++) cosine += row[k] * direction[k];
      cost.data[n * directions.rows + c] = 1 - cosine;
    }
  }
  return solveIpot(
    { cost },
    { lambda: settings.lambda, iterations: settings.iterations, innerIterations: 1 },
  );
}

function moved(prototypes: Matrix, rows: Matrix, plan: Matrix, keep: number): Matrix {
  const means = matrix(prototypes.rows, prototypes.columns);
  for (let n = 0; n < rows.rows; n++) {
    const row = rowOf(rows, n);
    for (let c = 0; c < means.rows; c++) {
      const share = plan.data[n * plan.columns + c];
      if (share < 1e-9) continue; // most of a sharp plan is nothing
      const mean = rowOf(means, c);
      for (let k = 0; k < row.length; k++) mean[k] += share * row[k];
    }
  }
  directRows(means, 1);
  for (let i = 0; i < means.data.length; i++)
    means.data[i] = keep * prototypes.data[i] + (1 - keep) * means.data[i];
  return directRows(means, 1);
}

/** For each row the class that takes most of its mass. */
function surest({ rows, columns, data }: Matrix): Pick<RefinedClasses, 'classes' | 'confidence'> {
  const classes = new Int32Array(rows);
  const confidence = new Float32Array(rows);
  for (let n = 0; n < rows; n++) {
    const shares = data.subarray(n * columns, (n + 1) * columns);
    classes[n] = shares.reduce((best, share, c) => (share > shares[best] ? c : best), 0);
    confidence[n] = shares[classes[n]] / shares.reduce((sum, share) => sum + share, 0);
  }
  return { classes, confidence };
}
