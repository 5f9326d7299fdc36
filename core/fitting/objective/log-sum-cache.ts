/**
 * Log-sum-exp of every row's scores over the bundle's classes and the runtime classes at their present head rows: what a new
 * class competes with. With thousands of runtime classes, summing anew takes seconds, so the sums are kept from one fit to
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
/** With more differences than this, summing anew is about as quick and more exact. */
const maxDifferences = 256;
/** Each update rounds, by some 1e-5; after so many, sums are computed anew. With many classes that takes long, so it is rarer. */
const maxUpdates = 200;
const maxUpdatesOfMany = 2000;
const rarelyRenewedAbove = 1024; // classes

export class LogSumCache {
  /** The head rows that the sums include, by class. */
  private included = new Map<string, HeadRow>();
  /** The sums of each block of rows, by its identity. */
  private ofBlock = new Map<object, Float64Array>();
  private updates = 0;

  constructor(private readonly products: MatrixProducts) {}

  /** Sums over the bundle's classes and the head rows given: (n). */
  async logSums(now: AssembledRows, heads: ReadonlyMap<string, HeadRow>): Promise<Float64Array> {
    const removed = [...this.included].filter(([name, row]) => heads.get(name) !== row).map(([, row]) => row);
    const added = [...heads].filter(([name, row]) => this.included.get(name) !== row).map(([, row]) => row);
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
      await updateSums(this.products, now.rows, sums, now.baseOffsets, added, removed);
      await this.sumBlocks(now, unknown, sums, [...heads.values()]);
    }
    this.store(now, heads, sums);
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

  /** The rows of some blocks against every runtime class, written into `sums`. */
  private async sumBlocks(
    { rows, baseOffsets }: AssembledRows,
    blocks: readonly PlacedBlock[],
    sums: Float64Array,
    heads: readonly HeadRow[],
  ): Promise<void> {
    if (blocks.length === 0) return;
    const selected = Int32Array.from(
      blocks.flatMap(({ firstRow, rows: count }) => Array.from({ length: count }, (_, i) => firstRow + i)),
    );
    const lowest = Float64Array.from(selected, (row) => baseOffsets[row]);
    const part = selectRows(rows, selected);
    const found = lowest.slice();
    await updateSums(this.products, part, found, lowest, heads, []);
    selected.forEach((row, i) => (sums[row] = found[i]));
  }
}

/** Adds the exponentials of some head rows' scores to the sums and subtracts those of others, in place. */
async function updateSums(
  products: MatrixProducts,
  rows: ProblemRows,
  sums: Float64Array,
  lowest: Float64Array, // the sums over the bundle's classes alone: cancellation must not lead below them
  added: readonly HeadRow[],
  removed: readonly HeadRow[],
): Promise<void> {
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
      sums[row] = Math.max(lowest[row], factor > 0 ? sums[row] + Math.log(factor) : -Infinity);
    }
  }
}
