/**
 * Solves classes together. Near the minimum, by steps of Newton's method (newton.ts); from farther away, by L-BFGS (solve.ts). Where rows are
 * many: on all rows to which these classes matter, and of the others on a sample that weighs as much. What the sample's gradient misses at
 * the start is added as a constant, so that a minimum of the whole is one of the sample; one pass over all rows then measures how near it
 * is, and if it is not near enough, the next sample starts from there.
 */
import type { MatrixProducts } from '../../compute/matrix-products.js';
import type { LinearHead } from '../../head/scorer.js';
import { takeRows } from '../../matrix.js';
import type { FitProblem } from '../objective/fit-problem.js';
import { Objective, valueAtLogSums, type HeadEvaluation, type HeadGradient } from '../objective/objective.js';
import { selectRows } from '../rows/select-rows.js';
import { RowScores } from '../objective/row-scores.js';
import { newtonStep } from './newton.js';
import { distances, scaledGradient, solve, type SolveOptions } from './solve.js';

/** How much is done for a minimum. */
export interface Effort {
  /** With no more rows than these a sample gains nothing: its donors are most of all real rows. */
  readonly sampleAbove: number;
  readonly sampleRows: number; // beside those of the classes looked for
  readonly maxSamples: number; // one after another; also of steps near the minimum
  /** Whether the problem is solved on all rows in the end if samples do not converge. */
  readonly isExact: boolean;
}
export const usualEffort: Effort = { sampleAbove: 16384, sampleRows: 2048, maxSamples: 3, isExact: true };
/** How near to its minimum a sample is solved, as a fraction of the distance at the start: more would fit the sample's noise. */
const sampleTolerance = 0.02;
/** Scores no farther from those of the minimum than this make the problem quadratic enough for steps of Newton's method. */
const nearMinimum = 1;
const maxProductsOfStep = 12;
/** A step aims below the tolerance by so much, so that what is not quadratic, or not sampled, leaves it within. */
const stepTolerance = 0.3;
/** Values are sums of products in single precision, over log-sums that were kept from fit to fit. */
const valueNoise = 1e-5;

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

  const rowScores = objective.rowScores.narrow(columns);
  const probability = rowScores.exponentialSums(head.bias, logSums);
  const problem = narrowProblem(whole, columns, without(probability, logSums, lowest));
  const evaluation = {
    value: valueAtLogSums(problem, head, logSums, found.ownScores),
    weights: takeRows(found.weights, columns),
    bias: Float64Array.from(columns, (k) => found.bias[k]),
  };
  const objectiveOfMoved = new Objective(products, problem);
  const start = { head, evaluation, logSums, rowScores };
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
  const start = { head, evaluation, logSums: objective.logSums, rowScores: objective.rowScores };
  return descend(products, problem, objective, start, options, effort);
}

interface Start {
  readonly head: LinearHead;
  readonly evaluation: HeadEvaluation;
  readonly logSums: Float64Array; // (n), over all classes
  readonly rowScores: RowScores; // of the head
}

async function descend(
  products: MatrixProducts,
  problem: FitProblem,
  full: Objective,
  start: Start,
  options: SolveOptions,
  effort: Effort,
): Promise<SolvedClasses> {
  const isNear = Math.max(...distancesOf(problem, start.evaluation)) <= nearMinimum;
  if (!isNear) return descendFar(products, problem, full, start, options, effort);
  const stepped = await stepDown(products, problem, full, start, options, effort);
  if (stepped.converged || !effort.isExact) return { ...stepped, ...stepped.at };
  const found = await descendFar(products, problem, full, stepped.at, options, effort);
  return { ...found, evaluations: found.evaluations + stepped.evaluations };
}

/** Newton's method, until it converges or a step does not lower the value. */
async function stepDown(
  products: MatrixProducts,
  problem: FitProblem,
  full: Objective,
  start: Start,
  { tolerance, maxIterations }: SolveOptions,
  { sampleAbove, sampleRows, maxSamples: maxSteps }: Effort,
): Promise<{ at: Start; evaluations: number; converged: boolean }> {
  let at = start;
  let evaluations = 1;
  const isConverged = (): boolean =>
    distancesOf(problem, at.evaluation).every((distance) => distance <= tolerance);
  for (let step = 0; step < maxSteps && !isConverged(); step++) {
    const { head, evaluation, logSums, rowScores } = at;
    let part: { problem: FitProblem; probabilities: Float32Array };
    if (logSums.length > sampleAbove) {
      const sample = sampleOf(problem, rowScores.exponentialSums(head.bias, logSums), sampleRows);
      const ofSample = new RowScores(products, sample.problem.rows, head.bias.length);
      await ofSample.compute(head.weights);
      const pivots = Float64Array.from(sample.selected, (row) => logSums[row]);
      part = { problem: sample.problem, probabilities: ofSample.exponentials(head.bias, pivots) };
    } else part = { problem, probabilities: rowScores.exponentials(head.bias, logSums) };
    const found = await newtonStep(
      products,
      part.problem,
      { head, gradient: evaluation, probabilities: part.probabilities },
      { tolerance: stepTolerance * tolerance, maxProducts: Math.min(maxProductsOfStep, maxIterations) },
    );
    const next = await full.evaluate(found.head);
    evaluations += found.products + 1;
    if (!(next.value <= evaluation.value + valueNoise * Math.abs(evaluation.value))) {
      await full.evaluate(head); // its scores, for those who go on from here
      break;
    }
    at = { head: found.head, evaluation: next, logSums: full.logSums.slice(), rowScores: full.rowScores };
  }
  return { at, evaluations, converged: isConverged() };
}

async function descendFar(
  products: MatrixProducts,
  problem: FitProblem,
  full: Objective,
  { head, evaluation, logSums, rowScores }: Start,
  options: SolveOptions,
  { sampleAbove, sampleRows, maxSamples, isExact }: Effort,
): Promise<SolvedClasses> {
  let evaluations = 1;
  let distance = distancesOf(problem, evaluation);
  const samples = logSums.length > sampleAbove ? maxSamples : 0;
  for (let sample = 0; sample < samples; sample++) {
    const { problem: part } = sampleOf(problem, rowScores.exponentialSums(head.bias, logSums), sampleRows);
    const solution = await solve(products, part, head, {
      ...options,
      tolerance: Math.max(0.7 * options.tolerance, sampleTolerance * Math.max(...distance)),
      gradientAtStart: evaluation,
    });
    head = solution.head;
    evaluation = await full.evaluate(head);
    rowScores = full.rowScores;
    evaluations += solution.evaluations + 1;
    distance = distancesOf(problem, evaluation);
    logSums = full.logSums;
    const converged = distance.every((one) => one <= options.tolerance);
    if (converged || (!isExact && sample === samples - 1)) return { head, logSums, evaluations, converged };
  }
  const solution = await solve(products, problem, head, { ...options, evaluationAtStart: evaluation });
  return { ...solution, evaluations: evaluations + solution.evaluations };
}

function distancesOf(problem: FitProblem, gradient: HeadGradient): Float64Array {
  return distances(problem, scaledGradient(problem, gradient));
}

/** All rows of the classes looked for, and about `count` of the others, with weights that make up for the rows left out. */
function sampleOf(
  problem: FitProblem,
  probability: Float64Array,
  count: number,
): { readonly problem: FitProblem; readonly selected: readonly number[] } {
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
    problem: {
      ...problem,
      rows: { ...part, weight: part.weight.map((weight, i) => weight * factors[i]) },
      offsets: Float64Array.from(selected, (row) => offsets[row]),
    },
    selected,
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
