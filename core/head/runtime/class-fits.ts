/**
 * The rows of runtime classes, solved in two steps: new classes alone, against everything as it is; then, together, every
 * class that this moved. What moves too little to matter keeps its row, and need not be stored again.
 */
import { matrix, rowOf, type Matrix } from '../../matrix.js';
import type { LinearHead } from '../scorer.js';
import { blocksOf, candidates } from './candidates.js';
import type { FitProblem } from './problem.js';
import type { FittedRow, RuntimeClass, RuntimeFit } from './runtime-class.js';
import { settle, settleNew, usualEffort, type Effort } from './settle.js';
import { headOf, Sums } from './sums.js';
import { prototypesOf } from './synthetic-class.js';
import type { Arrangement, World } from './world.js';

const mostTurns = 4;
export const usualLimits = { tolerance: 1e-2, mostIterations: 100 };
/**
 * Where more come at once than these, an exact minimum would take minutes, and the last digits of it tell nothing: with so many
 * classes each has a handful of synthetic rows. What comes later moves them nearer.
 */
const mostExactly = 256;
const iterationsOfBulk = 12;
const effortOfBulk: Effort = { sampleAbove: 4096, sampleRows: 512, samples: 1, isExact: false };

export interface FitOptions {
  /** How far scores may be from those of the exact minimum (distances in solve.ts); a row that would move less stays as it is. */
  readonly tolerance?: number;
  readonly mostIterations?: number;
}

export class ClassFits {
  private readonly sums: Sums;

  constructor(private readonly world: World) {
    this.sums = new Sums(world.source.products);
  }

  /** The rows of all runtime classes, from the rows that they have. Neither their order nor that of their coming matters. */
  async fit(classes: readonly RuntimeClass[], options: FitOptions = {}): Promise<RuntimeFit> {
    if (classes.length === 0) return { rows: [], changed: [], evaluations: 0, converged: true };
    const order = Array.from(classes.keys()).sort((a, b) => (classes[a].name < classes[b].name ? -1 : 1));
    const sorted = order.map((i) => classes[i]);
    const before = this.world.classes;
    const now = await this.world.arrange(sorted);
    const rows = sorted.map(({ row }) => row);
    const fresh = Array.from(rows.keys()).filter((c) => !rows[c]);
    let sums = await this.sums.bring(now, heldRows(now.names, rows));

    const { products, base } = this.world.source;
    const isBulk = fresh.length > mostExactly;
    const limits = { ...usualLimits, ...(isBulk && { mostIterations: iterationsOfBulk }), ...options };
    const effort = isBulk ? effortOfBulk : usualEffort;
    let evaluations = 0;
    let converged = true;
    // New classes first, alone and roughly: they have the longest way to go, and a class costs little.
    for (const block of await blocksOf(products, now, base.weights, fresh)) {
      const start = headOf(
        block.map((c) => this.firstRow(now, c, rows)),
        this.width,
      );
      const rough = { ...limits, tolerance: 5 * limits.tolerance };
      const found = await settleNew(products, this.problem(now, block, sums), start, rough, effort);
      block.forEach((c, k) => (rows[c] = takeRow(found.head, k)));
      sums = found.sums;
      evaluations += found.evaluations;
    }
    // Then, together, every class that their coming moves. Blocks move each other: they take turns until they rest.
    const moved = await candidates(products, now, fresh, before);
    const blocks = await blocksOf(products, now, base.weights, moved);
    let isAtRest = false;
    for (let turn = 0; turn < (isBulk ? 1 : mostTurns) && !isAtRest; turn++) {
      isAtRest = true;
      for (const block of blocks) {
        const standing = headOf(
          block.map((c) => rows[c]!),
          this.width,
        );
        const problem = this.problem(now, block, sums);
        const found = await settle(products, problem, standing, now.baseSums, limits, effort);
        found.columns.forEach((k, i) => (rows[block[k]] = takeRow(found.head, i)));
        sums = found.sums;
        evaluations += found.evaluations;
        converged = found.converged && (converged || turn > 0);
        isAtRest &&= found.columns.length === 0 || blocks.length === 1;
      }
    }

    const fitted = rows.map((row) => row!);
    this.sums.keep(now, heldRows(now.names, fitted), sums);
    const given = new Array<FittedRow>(classes.length);
    order.forEach((i, c) => (given[i] = fitted[c]));
    return {
      rows: given,
      changed: Array.from(given.keys()).filter((i) => given[i] !== classes[i].row),
      evaluations,
      converged,
    };
  }

  private problem(now: Arrangement, solved: readonly number[], offsets: Float64Array): FitProblem {
    const bundleClasses = this.world.source.base.bias.length;
    const columnOf = new Int32Array(bundleClasses + now.names.length).fill(-1);
    solved.forEach((c, k) => (columnOf[bundleClasses + c] = k));
    const { regularisation, mass } = this.world;
    return { data: now.data, columnOf, offsets, prior: this.priors(now, solved), regularisation, mass };
  }

  private get width(): number {
    return this.world.source.base.weights.columns;
  }

  private priors(now: Arrangement, solved: readonly number[]): Matrix {
    return this.world.source.recipe.prior === 'prototypes'
      ? prototypesOf(solved.map((c) => now.classes[c]))
      : matrix(solved.length, this.width);
  }

  /** Where a class without a row starts: at its prototype, with the bias that its like have. */
  private firstRow(now: Arrangement, c: number, rows: readonly (FittedRow | undefined)[]): FittedRow {
    const biases = rows.filter((row) => row !== undefined).map(({ bias }) => bias);
    const known = biases.length > 0 ? biases : Array.from(this.world.source.base.bias);
    const bias = known.reduce((sum, value) => sum + value, 0) / known.length;
    return { weights: now.classes[c].prototype, bias };
  }
}

function heldRows(
  names: readonly string[],
  rows: readonly (FittedRow | undefined)[],
): Map<string, FittedRow> {
  const held = new Map<string, FittedRow>();
  rows.forEach((row, c) => {
    if (row) held.set(names[c], row);
  });
  return held;
}

function takeRow({ weights, bias }: LinearHead, k: number): FittedRow {
  return { weights: rowOf(weights, k).slice(), bias: bias[k] };
}
