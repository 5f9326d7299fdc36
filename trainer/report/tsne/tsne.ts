/**
 * t-SNE (van der Maaten and Hinton, 2008; Barnes-Hut form, 2014): rows of many values as points in the plane, such that
 * near neighbours stay near. How far apart groups lie, and how large they are, means little.
 *
 * First the rows are brought to their 50 principal coordinates: what is left out is mostly noise, and neighbours are
 * then found in a fraction of the time. The two widest are where the points start from, so that the picture depends
 * little on chance.
 */
import { setImmediate } from 'node:timers/promises';
import { rowOf, type Matrix } from '../../../core/matrix.js';
import { MatrixProducts } from '../../../core/compute/matrix-products.js';
import type { Watcher } from '../../../core/progress.js';
import type { Random } from '../../../core/random.js';
import { stopIfAsked } from '../../../core/stop.js';
import { affinities } from './affinities.js';
import { divergence, gradient } from './gradient.js';
import { nearestNeighbours } from './neighbours.js';
import { principalCoordinates } from './principal.js';

import { Quadtree } from './quadtree.js';

interface TsneSettings {
  /** The effective number of neighbours of a point. Low: many small groups. High: fine structure is lost. */
  readonly perplexity: number;
  readonly iterations: number;
  /** How coarsely distant groups are approximated, below 0.7; 0 is exact, and slow. */
  readonly theta: number;
  readonly principalDirections: number;
}

export const defaultTsne: TsneSettings = {
  perplexity: 30,
  iterations: 750,
  theta: 0.5,
  principalDirections: 50,
};

interface TsneResult {
  readonly points: Float64Array; // (2 n), x and y in turn
  readonly divergence: number; // KL at the end, in nats
  readonly perplexity: number; // as used: at most a third of the other points
  readonly trace: readonly { readonly iteration: number; readonly divergence: number }[];
}

const exaggerated = { iterations: 250, factor: 12 }; // neighbours first pull hard, so that groups form
const startDeviation = 1e-4;
const iterationsPerTurn = 25; // then the event loop runs, for progress bars and Ctrl-C

export async function tsne(
  rows: Matrix,
  random: Random,
  watcher: Watcher,
  settings: TsneSettings = defaultTsne,
): Promise<TsneResult> {
  const n = rows.rows;
  if (n < 4) throw new RangeError(`t-SNE needs at least 4 rows, not ${n}`);
  const perplexity = Math.min(settings.perplexity, (n - 1) / 3);
  const products = await MatrixProducts.open();
  try {
    const coordinates = await principalCoordinates(rows, settings.principalDirections, random, products);
    const count = Math.min(n - 1, Math.floor(3 * perplexity));
    const wishes = affinities(await nearestNeighbours(coordinates, count, products), perplexity);
    const { points, trace } = await descend(start(coordinates, random), wishes, settings, watcher);
    return { points, divergence: trace.at(-1)!.divergence, perplexity, trace };
  } finally {
    await products.release();
  }
}

/** The two widest coordinates, made small: far apart at the start, groups could not pass through each other. */
function start(coordinates: Matrix, random: Random): Float64Array {
  const points = new Float64Array(2 * coordinates.rows);
  let squares = 0;
  for (let i = 0; i < coordinates.rows; i++) {
    const row = rowOf(coordinates, i);
    points[2 * i] = row[0];
    points[2 * i + 1] = row.length > 1 ? row[1] : 0;
    squares += row[0] * row[0];
  }
  const factor = squares > 0 ? startDeviation / Math.sqrt(squares / coordinates.rows) : 0;
  // Rows that are all alike would stay on one point for ever without a push.
  return points.map((value) => value * factor + 0.01 * startDeviation * random.normal());
}

/** Gradient descent with momentum, and a step size of its own for each coordinate (Jacobs, 1988). */
async function descend(
  points: Float64Array,
  wishes: ReturnType<typeof affinities>,
  { iterations, theta }: TsneSettings,
  watcher: Watcher,
): Promise<{ points: Float64Array; trace: TsneResult['trace'] }> {
  const n = points.length / 2;
  const tree = new Quadtree(n);
  const slope = new Float64Array(2 * n);
  const velocity = new Float64Array(2 * n);
  const gain = new Float64Array(2 * n).fill(1);
  const rate = Math.max(n / exaggerated.factor / 4, 50); // Belkina et al., 2019
  const trace: { iteration: number; divergence: number }[] = [];
  const progress = watcher.progress('t-SNE', iterations);
  try {
    for (let iteration = 0; iteration < iterations; iteration++) {
      const early = iteration < exaggerated.iterations;
      const exaggeration = early ? exaggerated.factor : 1;
      gradient(points, wishes, tree, { theta, exaggeration }, slope);
      const momentum = early ? 0.5 : 0.8;
      for (let k = 0; k < points.length; k++) {
        const sameWay = slope[k] > 0 === velocity[k] > 0;
        gain[k] = Math.max(0.01, sameWay ? gain[k] * 0.8 : gain[k] + 0.2);
        velocity[k] = momentum * velocity[k] - rate * gain[k] * slope[k];
        points[k] += velocity[k];
      }
      if ((iteration + 1) % iterationsPerTurn === 0 || iteration + 1 === iterations) {
        const z = gradient(points, wishes, tree, { theta, exaggeration: 1 }, slope);
        trace.push({ iteration: iteration + 1, divergence: divergence(points, wishes, z) });
        progress.update(iteration + 1);
        await setImmediate();
        stopIfAsked(watcher.signal);
      }
    }
  } finally {
    progress.stop();
  }
  return { points, trace };
}
