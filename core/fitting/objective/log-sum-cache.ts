/**
 * Log-sum-exp of every row's scores over the bundle's classes and the runtime classes at their present head rows: what a new
 * class competes with. With thousands of runtime classes, recomputing takes seconds, so the sums are kept from one fit to
 * the next, for each block of rows, and updated by the classes that came, went or moved.
 */
import type { MatrixProducts } from '../../compute/matrix-products.js';
import { stackHeadRows } from '../../head/head-rows.js';
import type { HeadRow } from '../../head/head-table.js';
import type { AssembledRows } from '../rows/row-assembly.js';
import type { PlacedBlock } from '../rows/assemble.js';
import { selectRows } from '../rows/select-rows.js';
import type { ProblemRows } from './fit-problem.js';
import { RowScores } from './row-scores.js';

/** Classes whose scores are held at once. */
const classesPerBatch = 128;
/** With more differences than this, recomputing is about as quick and more exact. */
const maxDifferences = 256;
/** A sum that loses more than this share of itself is recomputed: the rest would be mostly rounding. */
const maxLoss = 0.5;
/** Each update rounds, by some 1e-5; after so many, sums are recomputed. With many classes that takes long, so it is rarer. */
const maxUpdates = 200;
const maxUpdatesOfMany = 2000;
const rarelyRenewedAbove = 1024; // classes

export class LogSumCache {
  /** The head rows that the sums include, by class. */
  private included = new Map<string, HeadRow>();
  /** The sums of each block of rows, by its identity. */
  private ofBlock = new Map<object, Float64Array>();
  private updates = 0;
  /** Rows of the bundle that the sums still include, or leave out, and should not. */
  private masked: HeadRow[] = [];
  private unmasked: HeadRow[] = [];

  constructor(private readonly products: MatrixProducts) {}

  /** From the next call on, some of the bundle's rows no longer compete, and others do again. */
  mask(masked: readonly HeadRow[], unmasked: readonly HeadRow[]): void {
    this.masked.push(...masked);
    this.unmasked.push(...unmasked);
  }

  /** Sums over the bundle's classes that compete and the head rows given: (n). */
  async logSums(now: AssembledRows, heads: ReadonlyMap<string, HeadRow>): Promise<Float64Array> {
    const removed = [...this.included].filter(([name, row]) => heads.get(name) !== row).map(([, row]) => row);
    const added = [...heads].filter(([name, row]) => this.included.get(name) !== row).map(([, row]) => row);
    removed.push(...this.masked);
    added.push(...this.unmasked);
    const unknown = now.placed.filter((block) => !this.known(block));
    const differences = removed.length + added.length + unknown.length;
    const isEmpty = this.ofBlock.size === 0;
    this.updates += 1;
    const updatesAllowed = now.names.length > rarelyRenewedAbove ? maxUpdatesOfMany : maxUpdates;
    const sums = now.baseOffsets.slice();
    if (isEmpty || differences > maxDifferences || this.updates > updatesAllowed) {
      this.updates = 0;
      await updateSums(this.products, now.rows, sums, now.baseOffsets, [...heads.values()], []);
    } else {
      for (const block of now.placed) {
        const known = this.known(block);
        if (known) sums.set(known, block.firstRow);
      }
      const isLost = await updateSums(this.products, now.rows, sums, now.baseOffsets, added, removed);
      for (const { firstRow, rows } of unknown) isLost.fill(1, firstRow, firstRow + rows);
      await this.sumRows(now, isLost, sums, [...heads.values()]);
    }
    this.store(now, heads, sums);
    [this.masked, this.unmasked] = [[], []];
    return sums;
  }

  store(now: AssembledRows, heads: ReadonlyMap<string, HeadRow>, sums: Float64Array): void {
    this.included = new Map(heads);
    this.ofBlock = new Map(
      now.placed.map(({ identity, firstRow, rows }) => [identity, sums.slice(firstRow, firstRow + rows)]),
    );
  }

  /** What is known of a block's rows; nothing when it is new, or has more rows now. */
  private known({ identity, rows }: PlacedBlock): Float64Array | undefined {
    const sums = this.ofBlock.get(identity);
    return sums && sums.length >= rows ? sums.subarray(0, rows) : undefined;
  }

  /** Some of the rows against every runtime class, written into `sums`. */
  private async sumRows(
    { rows, baseOffsets }: AssembledRows,
    isAsked: Uint8Array,
    sums: Float64Array,
    heads: readonly HeadRow[],
  ): Promise<void> {
    const selected = Int32Array.from(isAsked.keys()).filter((row) => isAsked[row] === 1);
    if (selected.length === 0) return;
    const lowest = Float64Array.from(selected, (row) => baseOffsets[row]);
    const part = selectRows(rows, selected);
    const found = lowest.slice();
    await updateSums(this.products, part, found, lowest, heads, []);
    selected.forEach((row, i) => (sums[row] = found[i]));
  }
}

/** Adds the exponentials of some head rows' scores to the sums and subtracts those of others, in place. Which rows lost most of their sum on the way: (n). */
async function updateSums(
  products: MatrixProducts,
  rows: ProblemRows,
  sums: Float64Array,
  lowest: Float64Array, // the sums over the bundle's classes alone: cancellation must not lead below them
  added: readonly HeadRow[],
  removed: readonly HeadRow[],
): Promise<Uint8Array> {
  const isLost = new Uint8Array(sums.length);
  const all = [...removed, ...added];
  for (let start = 0; start < all.length; start += classesPerBatch) {
    const batch = stackHeadRows(all.slice(start, start + classesPerBatch), rows.real.columns);
    const removedInBatch = Math.max(0, Math.min(batch.bias.length, removed.length - start));
    const rowScores = new RowScores(products, rows, batch.bias.length);
    await rowScores.compute(batch.weights);
    const less =
      removedInBatch > 0 ? rowScores.exponentialSums(batch.bias, sums, 0, removedInBatch) : undefined;
    const more = rowScores.exponentialSums(batch.bias, sums, removedInBatch);
    for (let row = 0; row < sums.length; row++) {
      const factor = 1 + more[row] - (less ? less[row] : 0);
      if (factor < 1 - maxLoss) isLost[row] = 1;
      sums[row] = Math.max(lowest[row], factor > 0 ? sums[row] + Math.log(factor) : -Infinity);
    }
  }
  return isLost;
}
