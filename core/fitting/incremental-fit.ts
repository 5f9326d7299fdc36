/**
 * The head rows of runtime classes, solved in two steps: new classes alone, against everything as it is; then, together, every
 * class that this moved. What moves too little to matter keeps its row, and need not be stored again.
 */
import { copyHeadRow, stackHeadRows } from '../head/head-rows.js';
import type { HeadRow } from '../head/head-table.js';
import { matrix, type Matrix } from '../matrix.js';
import type { FitProblem } from './objective/fit-problem.js';
import { LogSumCache } from './objective/log-sum-cache.js';
import type { AssembledRows, RowAssembly } from './rows/row-assembly.js';
import { prototypesOf } from './rows/synthetic-class.js';
import type { FitOptions, RuntimeClass, RuntimeFit } from './runtime-class.js';
import { affectedClasses, solverBlocks } from './solver/class-blocks.js';
import { solveExisting, solveNew, usualEffort, type Effort } from './solver/solve-on-samples.js';

const maxSweeps = 4;
export const usualLimits = { tolerance: 1e-2, maxIterations: 100 };
/**
 * Where more classes are new at once, an exact minimum would take minutes and gain nothing: with so many classes each has
 * a handful of synthetic rows. Later fits move them nearer to it.
 */
const bulkAbove = 256;
const maxIterationsOfBulk = 12;
const effortOfBulk: Effort = { sampleAbove: 4096, sampleRows: 512, maxSamples: 1, isExact: false };
/**
 * Among so many classes the neighbours of a new one are as such a fit left them, far from their minimum. That is none of the new class's
 * doing: they come nearer to it by a few iterations with every fit, in a part of a second.
 */
const manyAbove = 1024;
const maxIterationsOfNeighbours = 6;
const effortOfNeighbours: Effort = { ...usualEffort, maxSamples: 1, isExact: false };

export class IncrementalFit {
  private readonly cache: LogSumCache;
  /** Which of the bundle's classes the cached sums leave out. */
  private refitted: ReadonlySet<number>;

  constructor(private readonly assembly: RowAssembly) {
    this.cache = new LogSumCache(assembly.context.products);
    this.refitted = assembly.context.refitted;
  }

  /** The head rows of all runtime classes, from the rows that they have. The order of the classes does not matter. */
  async fit(classes: readonly RuntimeClass[], options: FitOptions = {}): Promise<RuntimeFit> {
    if (classes.length === 0) return { rows: [], changed: [], evaluations: 0, converged: true };
    const order = orderByName(classes);
    const sorted = order.map((i) => classes[i]);
    const before = this.assembly.classes;
    const now = await this.assembly.assemble(sorted);
    const { products, base } = this.assembly.context;
    this.followMask();
    const heads = sorted.map(({ row }) => row);
    const fresh = Array.from(heads.keys()).filter((c) => !heads[c]);
    let logSums = await this.cache.logSums(now, headsByName(now.names, heads));

    const isBulk = fresh.length > bulkAbove;
    const limits = { ...usualLimits, ...(isBulk && { maxIterations: maxIterationsOfBulk }), ...options };
    const effort = isBulk ? effortOfBulk : usualEffort;
    const isAmongMany = !isBulk && now.names.length > manyAbove;
    let evaluations = 0;
    let converged = true;
    // New classes first, alone and roughly: they are farthest from their minimum, and a single class costs little.
    for (const block of await solverBlocks(products, now, base.weights, fresh)) {
      const start = this.stack(block.map((c) => this.firstHeadRow(now, c, heads)));
      const rough = { ...limits, tolerance: (isAmongMany ? 1 : 5) * limits.tolerance };
      const found = await solveNew(products, this.problem(now, block, logSums), start, rough, effort);
      block.forEach((c, k) => (heads[c] = copyHeadRow(found.head, k)));
      logSums = found.logSums;
      evaluations += found.evaluations;
      converged &&= found.converged || !isAmongMany;
    }
    // Then, together, every class that they affect. Blocks move each other: they are solved in turn until none moves.
    const affected = await affectedClasses(products, now, fresh, before);
    const blocks = await solverBlocks(products, now, base.weights, affected);
    let isAtRest = false;
    for (let sweep = 0; sweep < (isBulk || isAmongMany ? 1 : maxSweeps) && !isAtRest; sweep++) {
      isAtRest = true;
      for (const block of blocks) {
        const present = this.stack(block.map((c) => heads[c]!));
        const problem = this.problem(now, block, logSums);
        const ofNeighbours = {
          ...limits,
          ...(isAmongMany && { maxIterations: maxIterationsOfNeighbours }),
        };
        const found = await solveExisting(
          products,
          problem,
          present,
          now.baseOffsets,
          ofNeighbours,
          isAmongMany ? effortOfNeighbours : effort,
        );
        found.columns.forEach((k, i) => (heads[block[k]] = copyHeadRow(found.head, i)));
        logSums = found.logSums;
        evaluations += found.evaluations;
        if (!isAmongMany) converged = found.converged && (converged || sweep > 0);
        isAtRest &&= found.columns.length === 0 || blocks.length === 1;
      }
    }

    const fitted = heads.map((row) => row!);
    this.cache.store(now, headsByName(now.names, fitted), logSums);
    const rows = new Array<HeadRow>(classes.length);
    order.forEach((i, c) => (rows[i] = fitted[c]));
    const changed = Array.from(rows.keys()).filter((i) => rows[i] !== classes[i].row);
    return { rows, changed, evaluations, converged };
  }

  /** Sums over thousands of classes follow what has changed about the bundle's: recomputing them takes seconds. */
  private followMask(): void {
    const { bundle, refitted } = this.assembly.context;
    const rowsOf = (of: ReadonlySet<number>, except: ReadonlySet<number>): HeadRow[] =>
      [...of].filter((c) => !except.has(c)).map((c) => copyHeadRow(bundle, c));
    this.cache.mask(rowsOf(refitted, this.refitted), rowsOf(this.refitted, refitted));
    this.refitted = refitted;
  }

  private problem(now: AssembledRows, solved: readonly number[], offsets: Float64Array): FitProblem {
    const { base, settings } = this.assembly.context;
    const bundleClasses = base.bias.length;
    const columnOf = new Int32Array(bundleClasses + now.names.length).fill(-1);
    solved.forEach((c, k) => {
      columnOf[bundleClasses + c] = k;
      if (now.replaces[c] >= 0) columnOf[now.replaces[c]] = k; // rows of the bundle are labelled with its own class
    });
    const { regularisation, classWeight, intercepts } = settings;
    return {
      rows: now.rows,
      columnOf,
      offsets,
      prior: this.priors(now, solved),
      regularisation,
      classWeight,
      intercepts,
    };
  }

  private stack(rows: readonly HeadRow[]) {
    return stackHeadRows(rows, this.assembly.context.base.weights.columns);
  }

  private priors(now: AssembledRows, solved: readonly number[]): Matrix {
    const { settings, base } = this.assembly.context;
    return settings.prior === 'prototypes'
      ? prototypesOf(solved.map((c) => now.classes[c]))
      : matrix(solved.length, base.weights.columns);
  }

  /**
   * Where a new class starts: at its prototype, with the mean bias of the other runtime classes, or of the bundle's; one of the bundle's own
   * at the bundle's row. Not at the row that it had before what is known of it changed: it would then depend on the way there.
   */
  private firstHeadRow(now: AssembledRows, c: number, heads: readonly (HeadRow | undefined)[]): HeadRow {
    const { base, bundle, refitted, settings } = this.assembly.context;
    if (now.replaces[c] >= 0) return copyHeadRow(bundle, now.replaces[c]);
    const weights = now.classes[c].prototype;
    if (!settings.intercepts) return { weights, bias: 0 };
    const biases = heads.filter((row) => row !== undefined).map(({ bias }) => bias);
    // Rows of the bundle that are refitted are masked by a bias out of reach, which must not enter the mean.
    const known = biases.length > 0 ? biases : Array.from(base.bias).filter((_, own) => !refitted.has(own));
    const bias = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
    return { weights, bias };
  }
}

/** Indices in the order of the names: whatever the order in which classes are given, the same bits come out. */
export function orderByName(classes: readonly { readonly name: string }[]): number[] {
  return Array.from(classes.keys()).sort((a, b) => (classes[a].name < classes[b].name ? -1 : 1));
}

function headsByName(
  names: readonly string[],
  heads: readonly (HeadRow | undefined)[],
): Map<string, HeadRow> {
  const known = new Map<string, HeadRow>();
  heads.forEach((row, c) => {
    if (row) known.set(names[c], row);
  });
  return known;
}
