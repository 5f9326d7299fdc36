/**
 * The rows of all classes fitted together, the bundle's own too, with the runtime classes present: what the trainer would have
 * answered had it known them. Whether that is better than the rows that stand is measured, not assumed: by per-class
 * accuracy on the bundle's real rows and on synthetic features that no fit has seen.
 */
import type { Bundle } from '../../bundle/bundle.js';
import type { SessionOptions } from '../../compute/session.js';
import { matrix, rowOf, takeRows, type Matrix } from '../../matrix.js';
import { directRows } from '../feature-map.js';
import { Scorer, type LinearHead } from '../scorer.js';
import { ClassFits, usualLimits, type FitOptions } from './class-fits.js';
import { unseenBias, wholeHead, type FittedClass } from './confusion.js';
import type { FittedRow, RuntimeClass } from './runtime-class.js';
import { solve } from './solve.js';
import { synthesiseRows } from './synthetic-class.js';
import { World, type Arrangement } from './world.js';

/** Accuracies with the bundle's bias, as means over classes. */
export interface Measure {
  readonly seen: number; // on the bundle's real rows, which every fit has seen
  readonly unseen: number; // on synthetic features of unseen and runtime classes, which none has
  readonly harmonicMean: number;
}

export interface Consolidation {
  readonly base: LinearHead; // rows of the bundle's classes
  readonly rows: readonly FittedRow[]; // of the runtime classes, in the order given
  readonly before: Measure;
  readonly after: Measure;
  readonly isBetter: boolean;
  readonly converged: boolean;
}

/** The problem's memory grows with classes times rows; beyond this many it does not fit beside a server. */
export const mostConsolidated = 1024;
const rowsJudged = 32;

export async function consolidate(
  bundle: Bundle,
  classes: readonly RuntimeClass[],
  options: SessionOptions & FitOptions,
): Promise<Consolidation> {
  if (bundle.bias.length + classes.length > mostConsolidated)
    throw new RangeError(`only up to ${mostConsolidated} classes can be consolidated`);
  // A world of its own, with every real row: rows of seen classes live on these.
  const world = await World.open(bundle, options, { realRows: Infinity, rowsPerClass: 128 });
  try {
    const order = Array.from(classes.keys()).sort((a, b) => (classes[a].name < classes[b].name ? -1 : 1));
    const sorted = order.map((i) => classes[i]);
    const { rows } = await new ClassFits(world).fit(sorted, options);
    const standing = sorted.map((one, c) => ({ ...one, row: one.row ?? rows[c] }));
    const now = await world.arrange(sorted);
    const start = wholeHead(bundle, standing);
    const problem = {
      data: now.data,
      columnOf: Int32Array.from(start.bias.keys()),
      offsets: new Float64Array(now.baseSums.length).fill(-Infinity),
      prior: await priors(bundle, world, now),
      regularisation: world.regularisation,
      mass: world.mass,
    };
    const { tolerance, mostIterations } = { ...usualLimits, ...options };
    const { head, converged } = await solve(world.source.products, problem, start, {
      tolerance,
      mostIterations,
    });
    const rowsOfRuntime = sorted.map((_, c) => {
      const k = bundle.bias.length + c;
      return { weights: rowOf(head.weights, k).slice(), bias: head.bias[k] };
    });
    const judge = judgeOf(bundle, world, standing);
    const [before, after] = [await judge(start), await judge(head)];
    const given = new Array<FittedRow>(classes.length);
    order.forEach((i, c) => (given[i] = rowsOfRuntime[c]));
    return {
      base: {
        weights: matrix(
          bundle.bias.length,
          head.weights.columns,
          head.weights.data.slice(0, bundle.weights.data.length),
        ),
        bias: head.bias.slice(0, bundle.bias.length),
      },
      rows: given,
      before,
      after,
      isBetter: after.harmonicMean > before.harmonicMean,
      converged,
    };
  } finally {
    await world.release();
  }
}

async function priors(bundle: Bundle, world: World, now: Arrangement): Promise<Matrix> {
  const { manifest, weights } = bundle;
  const prior = matrix(manifest.classes.length + now.names.length, weights.columns);
  if (world.source.recipe.prior === 'zero') return prior;
  for (const [c, { name, attributes }] of manifest.classes.entries()) {
    const { prototype } = await synthesiseRows(world.source, name, world.encode(attributes), 1, 'own');
    rowOf(prior, c).set(prototype);
  }
  now.classes.forEach(({ prototype }, c) => {
    rowOf(prior, manifest.classes.length + c).set(prototype);
  });
  return prior;
}

function judgeOf(bundle: Bundle, world: World, classes: readonly FittedClass[]) {
  const { manifest, replay } = bundle;
  const all = [
    ...manifest.classes.map((one) => ({ ...one })),
    ...classes.map((one) => ({ ...one, seen: false })),
  ];
  const unseen = Array.from(all.keys()).filter((c) => !all[c].seen);
  return async (head: LinearHead): Promise<Measure> => {
    const scorer = await Scorer.open();
    const every = Int32Array.from(replay.labels.keys());
    const real = directRows(takeRows(replay.features, every), world.source.recipe.temperature);
    const seen = accuracy(bundle, await scorer.score(head, real), replay.labels);
    let sum = 0;
    for (const c of unseen) {
      const described = world.encode(all[c].attributes);
      const { rows } = await synthesiseRows(world.source, all[c].name, described, rowsJudged, 'judged');
      sum += accuracy(bundle, await scorer.score(head, rows), new Int32Array(rows.rows).fill(c));
    }
    await scorer.release();
    const mean = sum / Math.max(1, unseen.length);
    return { seen, unseen: mean, harmonicMean: (2 * seen * mean) / Math.max(seen + mean, 1e-12) };
  };
}

/** Mean over the labels of the share of their rows that score highest for them. */
function accuracy(bundle: Bundle, scores: Matrix, labels: Int32Array): number {
  const hits = new Map<number, { right: number; all: number }>();
  labels.forEach((label, i) => {
    const count = hits.get(label) ?? { right: 0, all: 0 };
    hits.set(label, count);
    const row = rowOf(scores, i);
    const own = row[label] + unseenBias(bundle, label);
    count.all += 1;
    if (row.every((score, c) => c === label || score + unseenBias(bundle, c) < own)) count.right += 1;
  });
  return [...hits.values()].reduce((sum, { right, all }) => sum + right / all, 0) / hits.size;
}
