/**
 * Scores of pool rows against classes, x_n · p_c, as costs of transport: some rows at a time, and kept in memory only if they fit.
 * N rows, C classes, D feature values.
 */
import type { MatrixProducts } from '../compute/matrix-products.js';
import { directRows } from '../head/feature-map.js';
import { matrix, passingPiecesOf, rowsAt, type Matrix, type RowSource } from '../matrix.js';
import type { Turns } from '../stop.js';
import type { CostRows } from './relaxed-transport.js';

/** Scores kept: 64 MiB. More are computed again in every pass, which bounds memory whatever the size of the pool. */
const maxScoresKept = 1 << 24;
const rowsAtOnce = 1024;

interface ScoredColumns {
  readonly weights: Matrix; // (C, D)
  /** Subtracted from each cost: (C). */
  readonly offsets: Float64Array;
  /** Cost of the column "none of these", which comes last, for each row: (N); null: there is no such column. */
  readonly noneCosts: Float32Array | null;
  /** Where somebody may ask to stop. */
  readonly turns?: Turns | undefined;
}

/** C_nc = -x_n · p_c - offset_c. */
export class ScoredRows implements CostRows {
  private kept: Matrix[] | null = null;
  /** Of one piece of rows: each is turned into costs before the next. */
  private scratch: Float32Array | null = null;

  constructor(
    private readonly products: MatrixProducts,
    private readonly pool: RowSource, // (N, D), of unit length
    private readonly scored: ScoredColumns,
    private readonly scoresKept = maxScoresKept,
  ) {}

  get rows(): number {
    return this.pool.rows;
  }

  private get scores(): Float32Array {
    return (this.scratch ??= new Float32Array(Math.min(rowsAtOnce, this.rows) * this.scored.weights.rows));
  }

  /** D. */
  get width(): number {
    return this.pool.columns;
  }

  get columns(): number {
    return this.scored.weights.rows + (this.scored.noneCosts === null ? 0 : 1);
  }

  async visit(visitor: (costs: Matrix, start: number) => void): Promise<void> {
    if (this.kept)
      for (const [i, costs] of this.kept.entries()) {
        visitor(costs, i * rowsAtOnce);
        await this.scored.turns?.next();
      }
    else
      await this.visitRows((costs, _rows, start) => {
        visitor(costs, start);
      });
  }

  /** The same, with the rows that the costs belong to: valid until the visitor's promise is kept. */
  async visitRows(
    visitor: (costs: Matrix, rows: Matrix, start: number) => void | Promise<void>,
  ): Promise<void> {
    const isKept = this.rows * this.columns <= this.scoresKept;
    const kept = this.kept;
    const made: Matrix[] = [];
    let start = 0;
    for (const piece of passingPiecesOf(this.pool, rowsAtOnce)) {
      const rows = 'data' in this.pool ? piece : directRows(piece, 1); // stored rows have the length that they have
      const costs = kept ? kept[start / rowsAtOnce] : await this.costsOf(rows, start);
      if (!kept && isKept) made.push(costs);
      await visitor(costs, rows, start);
      await this.scored.turns?.next();
      start += rows.rows;
    }
    if (!kept && isKept) this.kept = made;
  }

  private async costsOf(rows: Matrix, start: number): Promise<Matrix> {
    const { weights, offsets, noneCosts } = this.scored;
    const scores = matrix(rows.rows, weights.rows, this.scores.subarray(0, rows.rows * weights.rows));
    await this.products.forward(rows, weights, scores);
    const { columns } = this;
    const costs = matrix(rows.rows, columns);
    for (let n = 0; n < rows.rows; n++) {
      for (let c = 0; c < weights.rows; c++)
        costs.data[n * columns + c] = -scores.data[n * weights.rows + c] - offsets[c];
      if (noneCosts) costs.data[n * columns + weights.rows] = noneCosts[start + n];
    }
    return costs;
  }
}

/** The rows themselves if their scores fit into memory, otherwise as many of them as do, spread evenly. */
export function scoresThatFit(pool: RowSource, columns: number, scoresKept = maxScoresKept): RowSource {
  const count = Math.floor(scoresKept / columns);
  if (pool.rows <= count) return pool;
  const picked = Array.from({ length: count }, (_, i) => Math.floor((i * pool.rows) / count));
  return rowsAt(pool, picked);
}
