/**
 * The head rows of all classes fitted together, the bundle's own too, with the runtime classes present: what the trainer would
 * have found had it known them. Whether that is better than the present rows is measured, not assumed: by per-class
 * accuracy on the bundle's real rows and on synthetic features that no fit has seen.
 */
import { classMean, harmonicMean } from '../accuracy.js';
import type { Bundle } from '../bundle/bundle.js';
import type { SessionOptions } from '../compute/session.js';
import { headRows } from '../head/feature-map.js';
import { appendHeadRows, copyHeadRow } from '../head/head-rows.js';
import type { HeadRow } from '../head/head-table.js';
import { Scorer, type LinearHead } from '../head/scorer.js';
import { seenPrototype } from '../head/synthetic-rows.js';
import { matrix, rowOf, takeRows, type Matrix } from '../matrix.js';
import { IncrementalFit, orderByName, usualLimits } from './incremental-fit.js';
import { RowAssembly, type AssembledRows } from './rows/row-assembly.js';
import { consolidationBudget } from './rows/row-budget.js';
import type { RowContext } from './rows/row-source.js';
import { knownShareOf, synthesiseRows } from './rows/synthetic-class.js';
import type { FitOptions, FittedClass, RuntimeClass } from './runtime-class.js';
import { servingBiases } from './serving-bias.js';
import { solve } from './solver/solve.js';

/** Accuracies with the bundle's bias, as means over classes. */
interface Measure {
  readonly seen: number; // on the bundle's real rows, which every fit has seen
  readonly unseen: number; // on synthetic features of unseen and runtime classes, which none has; they lie where pictures say
  readonly harmonicMean: number;
}

export interface ConsolidatedHead {
  readonly base: LinearHead; // rows of the bundle's classes
  readonly rows: readonly HeadRow[]; // of the runtime classes, in the order given
  readonly before: Measure;
  readonly after: Measure;
  readonly isBetter: boolean;
  readonly converged: boolean;
}

/** Memory grows with classes times rows; with more classes the problem does not fit beside a server. */
export const maxConsolidatedClasses = 1024;
const rowsMeasured = 32; // of each class without real rows

export async function consolidate(
  bundle: Bundle,
  classes: readonly RuntimeClass[],
  options: SessionOptions & FitOptions,
): Promise<ConsolidatedHead> {
  if (bundle.bias.length + classes.length > maxConsolidatedClasses)
    throw new RangeError(`only up to ${maxConsolidatedClasses} classes can be consolidated`);
  const assembly = await RowAssembly.open(bundle, options, consolidationBudget);
  try {
    const order = orderByName(classes);
    const sorted = order.map((i) => classes[i]);
    const { rows } = await new IncrementalFit(assembly).fit(sorted, options);
    const fitted = sorted.map((one, c) => ({ ...one, row: one.row ?? rows[c] }));
    const now = await assembly.assemble(sorted);
    const { context } = assembly; // its head leaves out the classes that have been given pictures
    const columns = columnsOf(now, bundle.bias.length);
    const start = appendHeadRows(
      context.base,
      fitted.map(({ row }) => row),
    );
    const problem = {
      rows: now.rows,
      columnOf: columns, // no class stays fixed
      offsets: new Float64Array(now.baseOffsets.length).fill(-Infinity),
      prior: await priors(context, now),
      regularisation: context.settings.regularisation,
      classWeight: context.settings.classWeight,
      intercepts: context.settings.intercepts,
    };
    const { tolerance, maxIterations } = { ...usualLimits, ...options };
    const { head, converged } = await solve(context.products, problem, start, { tolerance, maxIterations });
    const measure = measureOf(context, fitted, columns);
    const [before, after] = [await measure(start), await measure(head)];
    const bundleClasses = bundle.bias.length;
    const given = new Array<HeadRow>(classes.length);
    order.forEach((i, c) => (given[i] = copyHeadRow(head, bundleClasses + c)));
    const weights = matrix(
      bundleClasses,
      head.weights.columns,
      head.weights.data.slice(0, bundle.weights.data.length),
    );
    const bias = head.bias.slice(0, bundleClasses);
    for (const own of context.refitted) {
      rowOf(weights, own).set(rowOf(bundle.weights, own)); // not fitted: it competes again when the pictures go
      bias[own] = bundle.bias[own];
    }
    return {
      base: { weights, bias },
      rows: given,
      before,
      after,
      isBetter: after.harmonicMean > before.harmonicMean,
      converged,
    };
  } finally {
    await assembly.release();
  }
}

/** Rows of a class of the bundle that was given pictures count for the class that replaces it. */
function columnsOf({ names, replaces }: AssembledRows, bundleClasses: number): Int32Array {
  const columns = Int32Array.from({ length: bundleClasses + names.length }, (_, c) => c);
  replaces.forEach((own, c) => {
    if (own >= 0) columns[own] = bundleClasses + c;
  });
  return columns;
}

async function priors(context: RowContext, now: AssembledRows): Promise<Matrix> {
  const { manifest, weights } = context.bundle;
  const prior = matrix(manifest.classes.length + now.names.length, weights.columns);
  if (context.settings.prior === 'zero') return prior;
  for (const [c, { name, attributes }] of manifest.classes.entries()) {
    const described = { name, attributes: context.encode(attributes), examples: context.ownExamples(name) };
    const { prototype } = await synthesiseRows(context, described, 1, 'own');
    const mean = context.donors.means.get(c);
    rowOf(prior, c).set(mean ? seenPrototype(prototype, mean, context.settings.realPrior) : prototype);
  }
  now.classes.forEach(({ prototype }, c) => {
    rowOf(prior, manifest.classes.length + c).set(prototype);
  });
  return prior;
}

/** `columns`: that of each class, where rows of the bundle may count for a class that replaces theirs. */
function measureOf(context: RowContext, classes: readonly FittedClass[], columns: Int32Array) {
  const { manifest, replay } = context.bundle;
  const all = [...manifest.classes, ...classes.map((one) => ({ ...one, seen: false }))];
  const unseen = Array.from(all.keys()).filter((c) => !all[c].seen && columns[c] === c);
  const labels = replay.labels.map((label) => columns[label]);
  const biases = servingBiases(manifest, classes);
  return async (head: LinearHead): Promise<Measure> => {
    const scorer = await Scorer.open();
    const every = Int32Array.from(replay.labels.keys());
    const real = headRows(takeRows(replay.features, every), context.settings.temperature);
    const seen = accuracy(biases, await scorer.score(head, real), labels);
    let sum = 0;
    for (const c of unseen) {
      const one: RuntimeClass = all[c];
      const described = {
        name: one.name,
        attributes: context.encode(one.attributes),
        examples: await context.examplesOf(one),
        assigned: one.assigned,
        knownShare: knownShareOf(one.attributes),
      };
      const { rows } = await synthesiseRows(context, described, rowsMeasured, 'judged');
      sum += accuracy(biases, await scorer.score(head, rows), new Int32Array(rows.rows).fill(c));
    }
    await scorer.release();
    const mean = sum / Math.max(1, unseen.length);
    return { seen, unseen: mean, harmonicMean: harmonicMean(seen, mean) };
  };
}

/** Mean over the labels of the fraction of their rows that score highest for them. */
function accuracy(biases: Float64Array, scores: Matrix, labels: Int32Array): number {
  const mean = classMean(labels, (i) => {
    const row = rowOf(scores, i);
    const own = row[labels[i]] + biases[labels[i]];
    return row.every((score, c) => c === labels[i] || score + biases[c] < own);
  });
  return mean ?? 0; // a bundle without replayed rows gives no reason to change anything
}
