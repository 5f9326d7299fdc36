/**
 * Solves classes together where rows are many: on all rows to which these classes matter, and of the others on a sample
 * that weighs as much. What the sample's gradient misses at the start is added as a constant, so that a minimum of the
 * whole is one of the sample; one pass over all rows then measures how near it is, and if it is not near enough, the
 * next sample starts from there.
 */
import type { MatrixProducts } from '../../compute/matrix-products.js';
import type { LinearHead } from '../../head/scorer.js';
import { takeRows } from '../../matrix.js';
import type { FitProblem } from '../objective/fit-problem.js';
import { Objective, valueAtLogSums, type HeadEvaluation, type HeadGradient } from '../objective/objective.js';
import { selectRows } from '../rows/select-rows.js';
import { distances, scaledGradient, solve, type SolveOptions } from './solve.js';

/** How much is done for a minimum. */
export interface Effort {
  /** With no more rows than these a sample gains nothing: its donors are most of all real rows. */
  readonly sampleAbove: number;
  readonly sampleRows: number; // beside those of the classes looked for
  readonly maxSamples: number; // one after another
  /** Whether the problem is solved on all rows in the end if samples do not converge. */
  readonly isExact: boolean;
}
export const usualEffort: Effort = { sampleAbove: 16384, sampleRows: 2048, maxSamples: 3, isExact: true };
/** How near to its minimum a sample is solved, as a fraction of the distance at the start: more would fit the sample's noise. */
const sampleTolerance = 0.02;

interface SolvedClasses {
  readonly head: LinearHead;
  readonly logSums: Float64Array; // (n), at the new rows
  readonly evaluations: number;
  readonly converged: boolean;
}

interface MovedClasses extends SolvedClasses {
  readonly columns: readonly number[]; // which of the classes given have moved; the head is of these
}

/**
 * Classes that have head rows already, as a warm start: those that are not at their minimum move. The offsets of the problem
 * are the log-sum-exp over all classes, those looked for at their present rows included.
 */
export async function solveExisting(
  products: MatrixProducts,
  whole: FitProblem,
  present: LinearHead,
  lowest: Float64Array, // (n): log-sum-exp over the bundle's classes alone; cancellation must not lead below it
  options: SolveOptions,
  effort = usualEffort,
): Promise<MovedClasses> {
  const objective = new Objective(products, whole);
  const found = await objective.gradientAtLogSums(present, whole.offsets);
  const distance = distancesOf(whole, found);
  const columns = Array.from(present.bias.keys()).filter((k) => !(distance[k] <= options.tolerance));
  const head = narrow(present, columns);
  const logSums = whole.offsets;
  if (columns.length === 0) return { columns, head, logSums, evaluations: 1, converged: true };

  const probability = objective.rowScores.narrow(columns).exponentialSums(head.bias, logSums);
  const problem = narrowProblem(whole, columns, without(probability, logSums, lowest));
  const evaluation = {
    value: valueAtLogSums(problem, head, logSums, found.ownScores),
    weights: takeRows(found.weights, columns),
    bias: Float64Array.from(columns, (k) => found.bias[k]),
  };
  const objectiveOfMoved = new Objective(products, problem);
  const start = { head, evaluation, logSums, probability };
  const solved = await descend(products, problem, objectiveOfMoved, start, options, effort);
  return { ...solved, columns };
}

/** New classes, which the offsets do not include yet: all of them move. */
export async function solveNew(
  products: MatrixProducts,
  problem: FitProblem,
  head: LinearHead,
  options: SolveOptions,
  effort = usualEffort,
): Promise<SolvedClasses> {
  const objective = new Objective(products, problem);
  const evaluation = await objective.evaluate(head);
  const start = { head, evaluation, logSums: objective.logSums, probability: null };
  return descend(products, problem, objective, start, options, effort);
}

interface Start {
  readonly head: LinearHead;
  readonly evaluation: HeadEvaluation;
  readonly logSums: Float64Array; // (n), over all classes
  /** (n), of the classes looked for, together; null: computed from the last evaluation, if a sample is drawn at all. */
  readonly probability: Float64Array | null;
}

async function descend(
  products: MatrixProducts,
  problem: FitProblem,
  full: Objective,
  { head, evaluation, logSums, probability }: Start,
  options: SolveOptions,
  { sampleAbove, sampleRows, maxSamples, isExact }: Effort,
): Promise<SolvedClasses> {
  let evaluations = 1;
  let distance = distancesOf(problem, evaluation);
  const samples = logSums.length > sampleAbove ? maxSamples : 0;
  for (let sample = 0; sample < samples; sample++) {
    probability ??= full.rowScores.exponentialSums(head.bias, logSums);
    const part = sampleOf(problem, probability, sampleRows);
    const solution = await solve(products, part, head, {
      ...options,
      tolerance: Math.max(0.7 * options.tolerance, sampleTolerance * Math.max(...distance)),
      gradientAtStart: evaluation,
    });
    head = solution.head;
    evaluation = await full.evaluate(head);
    evaluations += solution.evaluations + 1;
    distance = distancesOf(problem, evaluation);
    logSums = full.logSums;
    const converged = distance.every((one) => one <= options.tolerance);
    if (converged || (!isExact && sample === samples - 1)) return { head, logSums, evaluations, converged };
    probability = null;
  }
  const solution = await solve(products, problem, head, { ...options, evaluationAtStart: evaluation });
  return { ...solution, evaluations: evaluations + solution.evaluations };
}

function distancesOf(problem: FitProblem, gradient: HeadGradient): Float64Array {
  return distances(problem, scaledGradient(problem, gradient));
}

/** All rows of the classes looked for, and about `count` of the others, with weights that make up for the rows left out. */
function sampleOf(problem: FitProblem, probability: Float64Array, count: number): FitProblem {
  const { rows, columnOf, offsets } = problem;
  const importance = probability.map((part, row) =>
    columnOf[rows.label[row]] < 0 ? part * rows.weight[row] : Infinity,
  );
  const total = importance.reduce((sum, part) => (part < Infinity ? sum + part : sum), 0);
  // Systematic sampling, with nothing random: the same rows give the same bits.
  const selected: number[] = [];
  const factors: number[] = [];
  let passed = 0.5;
  for (let row = 0; row < importance.length; row++) {
    const chance = Math.min(1, (count * importance[row]) / total);
    passed += chance;
    if (passed < 1) continue;
    passed -= 1;
    selected.push(row);
    factors.push(1 / chance);
  }
  const part = selectRows(rows, Int32Array.from(selected));
  return {
    ...problem,
    rows: { ...part, weight: part.weight.map((weight, i) => weight * factors[i]) },
    offsets: Float64Array.from(selected, (row) => offsets[row]),
  };
}

/** Log-sums without the classes whose probability is given. */
function without(probability: Float64Array, logSums: Float64Array, lowest: Float64Array): Float64Array {
  return logSums.map((sum, row) =>
    Math.max(lowest[row], probability[row] < 1 ? sum + Math.log(1 - probability[row]) : -Infinity),
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
