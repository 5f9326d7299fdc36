/**
 * Log-sum-exp of every row's scores over the bundle's classes and the runtime classes at their present rows: what a new
 * class competes with. With thousands of runtime classes summing anew takes seconds, so sums are kept from one fit to
 * the next and changed by the classes that came, went or moved.
 */
import { matrix, rowOf, type Matrix } from '../../matrix.js';
import type { LinearHead } from '../scorer.js';
import { manyClasses } from './budget.js';
import { gatherRows } from './gather-rows.js';
import type { DataRows } from './problem.js';
import type { Products } from './products.js';
import { RowScores } from './row-scores.js';
import type { FittedRow } from './runtime-class.js';
import type { Arrangement } from './world.js';

/** Classes whose scores are held at once. */
const classesPerBlock = 128;
/** With more differences than this, summing anew is about as quick and more exact. */
const mostDifferences = 256;
/** Each change rounds, by some 1e-5; after so many, sums are made anew. With many classes that takes long, so it is rarer. */
const mostChanges = 200;
const mostChangesOfMany = 2000;

export class Sums {
  /** The rows that the sums hold. */
  private held = new Map<string, FittedRow>();
  private fixed = new Float64Array(0); // of the rows of the bundle's classes
  /** Of each runtime class's rows, with the attributes from which these were made. */
  private ofClass = new Map<string, { readonly sums: Float64Array; readonly attributes: Float32Array }>();

  private changes = 0;

  constructor(private readonly products: Products) {}

  /** Sums over the bundle's classes and the rows given: (n), in the order of the arrangement. */
  async bring(now: Arrangement, rows: ReadonlyMap<string, FittedRow>): Promise<Float64Array> {
    const gone = [...this.held].filter(([name, row]) => rows.get(name) !== row).map(([, row]) => row);
    const come = [...rows].filter(([name, row]) => this.held.get(name) !== row).map(([, row]) => row);
    const unknown = Array.from(now.names.keys()).filter((c) => !this.sumsOf(now, c));
    let sums: Float64Array;
    const differences = gone.length + come.length + unknown.length;
    this.changes += 1;
    const changesAllowed = now.names.length > manyClasses ? mostChangesOfMany : mostChanges;
    if (
      this.fixed.length !== now.firstRow ||
      differences > mostDifferences ||
      this.changes > changesAllowed
    ) {
      this.changes = 0;
      sums = await changeSums(
        this.products,
        now.data,
        now.baseSums.slice(),
        now.baseSums,
        [...rows.values()],
        [],
      );
    } else {
      const kept = this.gather(now);
      sums = await changeSums(this.products, now.data, kept, now.baseSums, come, gone);
      await this.sumOwnRows(now, unknown, sums, [...rows.values()]);
    }
    this.keep(now, rows, sums);
    return sums;
  }

  keep(now: Arrangement, rows: ReadonlyMap<string, FittedRow>, sums: Float64Array): void {
    const { firstRow, rowsPerClass } = now;
    this.held = new Map(rows);
    this.fixed = sums.slice(0, firstRow);
    this.ofClass = new Map(
      now.names.map((name, c) => {
        const start = firstRow + c * rowsPerClass;
        const { attributes } = now.classes[c];
        return [name, { sums: sums.slice(start, start + rowsPerClass), attributes }];
      }),
    );
  }

  /** What is known of a class's rows; nothing when it was described anew, or has more rows now. */
  private sumsOf({ names, classes, rowsPerClass }: Arrangement, c: number): Float64Array | undefined {
    const known = this.ofClass.get(names[c]);
    if (!known || known.attributes !== classes[c].attributes || known.sums.length < rowsPerClass)
      return undefined;
    return known.sums.subarray(0, rowsPerClass);
  }

  private gather(now: Arrangement): Float64Array {
    const sums = now.baseSums.slice();
    sums.set(this.fixed);
    now.names.forEach((_, c) => {
      const known = this.sumsOf(now, c);
      if (known) sums.set(known, now.firstRow + c * now.rowsPerClass);
    });
    return sums;
  }

  /** The rows of some classes against every runtime class. */
  private async sumOwnRows(
    { data, baseSums, firstRow, rowsPerClass: count }: Arrangement,
    classes: readonly number[],
    sums: Float64Array,
    rows: readonly FittedRow[],
  ): Promise<void> {
    if (classes.length === 0) return;
    const own = Int32Array.from(
      { length: classes.length * count },
      (_, i) => firstRow + classes[Math.floor(i / count)] * count + (i % count),
    );
    const least = Float64Array.from(own, (row) => baseSums[row]);
    const found = await changeSums(this.products, gatherRows(data, own), least.slice(), least, rows, []);
    own.forEach((row, i) => (sums[row] = found[i]));
  }
}

/** Adds the exponentials of some rows' scores to the sums and takes those of others away, in place. */
async function changeSums(
  products: Products,
  data: DataRows,
  sums: Float64Array,
  least: Float64Array, // no sum is below that over the bundle's classes, which cancellation might forget
  added: readonly FittedRow[],
  removed: readonly FittedRow[],
): Promise<Float64Array> {
  const all = [...removed, ...added];
  for (let start = 0; start < all.length; start += classesPerBlock) {
    const block = headOf(all.slice(start, start + classesPerBlock), data.real.columns);
    const taken = Math.max(0, Math.min(block.bias.length, removed.length - start));
    const rowScores = new RowScores(products, data, block.bias.length);
    await rowScores.take(block.weights);
    const less = taken > 0 ? rowScores.exponentials(block.bias, sums, 0, taken) : undefined;
    const more = rowScores.exponentials(block.bias, sums, taken);
    for (let row = 0; row < sums.length; row++) {
      const factor = 1 + more[row] - (less ? less[row] : 0);
      sums[row] = Math.max(least[row], factor > 0 ? sums[row] + Math.log(factor) : -Infinity);
    }
  }
  return sums;
}

/** Rows laid one under another, as products want them. */
export function headOf(rows: readonly FittedRow[], width: number): LinearHead {
  const weights: Matrix = matrix(rows.length, width);
  rows.forEach((row, k) => {
    rowOf(weights, k).set(row.weights);
  });
  return { weights, bias: Float32Array.from(rows, (row) => row.bias) };
}
