/**
 * Log-sums of data rows over the bundle's classes without some of them: those that are refitted because pictures of them were added. Computing all
 * sums again took as long as the fit itself. With o the sum over all of the bundle's classes and s the scores of those that are left out,
 *
 *   o' = o + log(1 - sum exp(s - o))
 *
 * needs one product for each class left out. Where these have most of a row's sum, which is so for rows of that very class, the difference would
 * be rounding, and the sum is computed from the row itself.
 */
import type { MatrixProducts } from '../../compute/matrix-products.js';
import type { LinearHead } from '../../head/scorer.js';
import { matrix, rowOf, takeRows, type Matrix } from '../../matrix.js';
import type { ProblemRows } from '../objective/fit-problem.js';
import { RowScores } from '../objective/row-scores.js';
import type { Assembly, PlacedBlock } from './assemble.js';
import { selectRows } from './select-rows.js';

/** The bias of a class that does not compete: below any score, and finite, so that differences of scores stay numbers. */
const outOfReach = -1e6;
/** Up to this share of a row's sum, single precision leaves the rest to five digits. */
const maxSubtracted = 0.5;

/** A head in which the classes named never win. */
export function headWithout({ weights, bias }: LinearHead, classes: ReadonlySet<number>): LinearHead {
  if (classes.size === 0) return { weights, bias };
  return { weights, bias: bias.map((value, c) => (classes.has(c) ? outOfReach : value)) };
}

export class MaskedOffsets {
  /** By the identity of a block of rows. */
  private known = new Map<object, Float64Array>();

  constructor(
    private readonly products: MatrixProducts,
    private readonly head: LinearHead,
    private readonly left: ReadonlySet<number>,
  ) {}

  /** The rows' log-sums, given those over all of the head's classes: (n). What is known of blocks is kept from one call to the next. */
  async of({ rows, baseOffsets, placed }: Assembly): Promise<Float64Array> {
    if (this.left.size === 0) return baseOffsets;
    const masked = baseOffsets.slice();
    const unknown = placed.filter((block) => !this.knownOf(block));
    const selected = Int32Array.from(
      unknown.flatMap(({ firstRow, rows: count }) => Array.from({ length: count }, (_, i) => firstRow + i)),
    );
    for (const block of placed) {
      const known = this.knownOf(block);
      if (known) masked.set(known.subarray(0, block.rows), block.firstRow);
    }
    const isWhole = selected.length === baseOffsets.length; // another class is left out: nothing to pick, and nothing to copy
    const found = await this.computed(
      isWhole ? rows : selectRows(rows, selected),
      Float64Array.from(selected, (row) => baseOffsets[row]),
    );
    selected.forEach((row, i) => (masked[row] = found[i]));
    this.known = new Map(
      placed.map(({ identity, firstRow, rows: count }) => [
        identity,
        masked.slice(firstRow, firstRow + count),
      ]),
    );
    return masked;
  }

  private knownOf({ identity, rows }: PlacedBlock): Float64Array | undefined {
    const known = this.known.get(identity);
    return known && known.length >= rows ? known : undefined;
  }

  private async computed(rows: ProblemRows, offsets: Float64Array): Promise<Float64Array> {
    const classes = [...this.left].sort((a, b) => a - b);
    const scores = new RowScores(this.products, rows, classes.length);
    await scores.compute(takeRows(this.head.weights, classes));
    const shares = scores.exponentialSums(
      Float32Array.from(classes, (c) => this.head.bias[c]),
      offsets,
    );
    const close = Int32Array.from(shares.keys()).filter((row) => !(shares[row] <= maxSubtracted));
    const masked = offsets.map((offset, row) => offset + Math.log1p(-Math.min(maxSubtracted, shares[row])));
    const exact = await this.products.logSumExp(dataRows(rows, close), headWithout(this.head, this.left));
    close.forEach((row, i) => (masked[row] = exact[i]));
    return masked;
  }
}

/** Some of the rows themselves, as the head sees them. */
function dataRows(rows: ProblemRows, selected: Int32Array): Matrix {
  const { real, means, draws, realRow, meanOf, temperature, length, residual } = rows;
  const found = matrix(selected.length, real.columns);
  selected.forEach((row, i) => {
    const to = rowOf(found, i);
    if (row < realRow.length) {
      const from = rowOf(real, realRow[row]);
      for (let k = 0; k < to.length; k++) to[k] = temperature * from[k];
      return;
    }
    const j = row - realRow.length;
    const [draw, donor] = [rowOf(draws, rows.draw[j]), rowOf(real, rows.donor[j])];
    const mean = rowOf(means, meanOf[rows.donor[j]]);
    const scale = rows.scale[j];
    for (let k = 0; k < to.length; k++) to[k] = scale * (length * draw[k] + residual * (donor[k] - mean[k]));
  });
  return found;
}
