/**
 * Brings the classes that are not at their minimum to it, together. Where rows are many, the problem is solved on some of
 * them: all to which these classes matter, and of the others a sample that weighs as much. What its gradient misses at the
 * start is added as a constant, so a minimum of the whole is one of the sample; one pass over all rows then tells how
 * near it is, and if it is not near enough, it goes on from there.
 */
import { takeRows } from '../../matrix.js';
import type { LinearHead } from '../scorer.js';
import { gatherRows } from './gather-rows.js';
import { Objective, valueWithin, type HeadEvaluation, type HeadGradient } from './objective.js';
import type { FitProblem } from './problem.js';
import type { Products } from './products.js';
import { distances, scaledGradient, solve, type SolveOptions } from './solve.js';

/** How much is done for a minimum. */
export interface Effort {
  /** With no more rows than these a sample gains nothing: the real rows that lend to it are most of all there are. */
  readonly sampleAbove: number;
  readonly sampleRows: number; // beside those of the classes looked for
  readonly samples: number; // one after another, at most
  /** Whether all rows are taken in the end if samples do not get there. */
  readonly isExact: boolean;
}
export const usualEffort: Effort = { sampleAbove: 16384, sampleRows: 2048, samples: 3, isExact: true };
/** How near to its minimum a sample is solved, as a part of how far the start is: it tells no more. */
const sampleExactness = 0.02;

export interface Solved {
  readonly head: LinearHead;
  readonly sums: Float64Array; // (n), with what has moved
  readonly evaluations: number;
  readonly converged: boolean;
}

export interface Settled extends Solved {
  readonly columns: readonly number[]; // which of the classes given have moved; the head is of these
}

/** The offsets of the problem are its sums: over all classes, those looked for at their present rows included. */
export async function settle(
  products: Products,
  whole: FitProblem,
  standing: LinearHead,
  least: Float64Array, // (n): no sum is below that over the bundle's classes, which cancellation might forget
  options: SolveOptions,
  effort = usualEffort,
): Promise<Settled> {
  const objective = new Objective(products, whole);
  const found = await objective.gradientWithin(standing, whole.offsets);
  const distance = distancesOf(whole, found);
  const columns = Array.from(standing.bias.keys()).filter((k) => !(distance[k] <= options.tolerance));
  const head = narrow(standing, columns);
  const sums = whole.offsets;
  if (columns.length === 0) return { columns, head, sums, evaluations: 1, converged: true };

  const probability = objective.rowScores.narrow(columns).exponentials(head.bias, sums);
  const problem = narrowProblem(whole, columns, without(probability, sums, least));
  const evaluation = {
    value: valueWithin(problem, head, sums, found.own),
    weights: takeRows(found.weights, columns),
    bias: Float64Array.from(columns, (k) => found.bias[k]),
  };
  const objectiveOfMoved = new Objective(products, problem);
  const start = { head, evaluation, sums, probability };
  const solved = await descend(products, problem, objectiveOfMoved, start, options, effort);
  return { ...solved, columns };
}

/** New classes, which no sum holds yet: all of them move. */
export async function settleNew(
  products: Products,
  problem: FitProblem,
  head: LinearHead,
  options: SolveOptions,
  effort = usualEffort,
): Promise<Solved> {
  const objective = new Objective(products, problem);
  const evaluation = await objective.evaluate(head);
  const start = { head, evaluation, sums: objective.sums, probability: null };
  return descend(products, problem, objective, start, options, effort);
}

interface Start {
  readonly head: LinearHead;
  readonly evaluation: HeadEvaluation;
  readonly sums: Float64Array; // (n), over all classes
  /** (n), of the classes looked for, together; null: it follows from the last evaluation, if a sample is taken at all. */
  readonly probability: Float64Array | null;
}

async function descend(
  products: Products,
  problem: FitProblem,
  full: Objective,
  { head, evaluation, sums, probability }: Start,
  options: SolveOptions,
  { sampleAbove, sampleRows, samples, isExact }: Effort,
): Promise<Solved> {
  let evaluations = 1;
  let distance = distancesOf(problem, evaluation);
  const takesSamples = sums.length > sampleAbove;
  for (let sample = 0; takesSamples && sample < samples; sample++) {
    probability ??= full.rowScores.exponentials(head.bias, sums);
    const part = sampleOf(problem, probability, sampleRows);
    const solution = await solve(products, part, head, {
      ...options,
      tolerance: Math.max(0.7 * options.tolerance, sampleExactness * Math.max(...distance)),
      gradientAtStart: evaluation,
    });
    head = solution.head;
    evaluation = await full.evaluate(head);
    evaluations += solution.evaluations + 1;
    distance = distancesOf(problem, evaluation);
    sums = full.sums;
    const converged = distance.every((far) => far <= options.tolerance);
    if (converged || (!isExact && sample === samples - 1)) return { head, sums, evaluations, converged };
    probability = null;
  }
  const solution = await solve(products, problem, head, { ...options, evaluationAtStart: evaluation });
  return { ...solution, evaluations: evaluations + solution.evaluations };
}

function distancesOf(problem: FitProblem, gradient: HeadGradient): Float64Array {
  return distances(problem, scaledGradient(problem, gradient));
}

function sampleOf(problem: FitProblem, probability: Float64Array, count: number): FitProblem {
  const { data, columnOf, offsets } = problem;
  const weight = probability.map((part, row) =>
    columnOf[data.owner[row]] < 0 ? part * data.share[row] : Infinity,
  );
  const total = weight.reduce((sum, part) => (part < Infinity ? sum + part : sum), 0);
  // Evenly over what the rows weigh, without chance: the same rows give the same bits.
  const rows: number[] = [];
  const factors: number[] = [];
  let passed = 0.5;
  for (let row = 0; row < weight.length; row++) {
    const chance = Math.min(1, (count * weight[row]) / total);
    passed += chance;
    if (passed < 1) continue;
    passed -= 1;
    rows.push(row);
    factors.push(1 / chance);
  }
  const gathered = gatherRows(data, Int32Array.from(rows));
  return {
    ...problem,
    data: { ...gathered, share: gathered.share.map((share, i) => share * factors[i]) },
    offsets: Float64Array.from(rows, (row) => offsets[row]),
  };
}

/** Sums without some classes that they hold. */
function without(probability: Float64Array, sums: Float64Array, least: Float64Array): Float64Array {
  return sums.map((sum, row) =>
    Math.max(least[row], probability[row] < 1 ? sum + Math.log(1 - probability[row]) : -Infinity),
  );
}

function narrowProblem(whole: FitProblem, columns: readonly number[], offsets: Float64Array): FitProblem {
  const position = new Map(columns.map((k, i) => [k, i]));
  const columnOf = whole.columnOf.map((k) => position.get(k) ?? -1);
  return { ...whole, columnOf, offsets, prior: takeRows(whole.prior, columns) };
}

function narrow({ weights, bias }: LinearHead, columns: readonly number[]): LinearHead {
  return { weights: takeRows(weights, columns), bias: Float32Array.from(columns, (k) => bias[k]) };
}
