/**
 * Scores of pool rows against classes, x_n · p_c, as costs of transport: some rows at a time, and kept in memory only if they fit.
 * N rows, C classes, D feature values.
 */
import type { MatrixProducts } from '../compute/matrix-products.js';
import { directRows } from '../head/feature-map.js';
import { isStored, matrix, passingPiecesOf, rowsAt, type Matrix, type RowSource } from '../matrix.js';
import type { Turns } from '../stop.js';
import type { CostRows } from './relaxed-transport.js';
import { ScoringMemory, type KeptCosts } from './scoring-memory.js';

/** Scores kept: 64 MiB. More are computed again in every pass, which bounds memory whatever the size of the pool. */
const maxScoresKept = 1 << 24;
const rowsAtOnce = 1024;

interface ScoredColumns {
  readonly weights: Matrix; // (C, D)
  /** Subtracted from each cost: (C). */
  readonly offsets: Float64Array;
  /** Cost of the column "none of these", which comes last, for each row: (N); null: there is no such column. */
  readonly noneCosts: Float32Array | null;
  /** Where the memory keeps the costs, as those of the pool if it is left out. */
  readonly keptAs?: KeptCosts;
  /** Where somebody may ask to stop. */
  readonly turns?: Turns | undefined;
}

/** C_nc = -x_n · p_c - offset_c. Costs are kept until others are made in the same memory. */
export class ScoredRows implements CostRows {
  constructor(
    private readonly products: MatrixProducts,
    private readonly pool: RowSource, // (N, D), of unit length, unless they are stored
    private readonly scored: ScoredColumns,
    private readonly memory = new ScoringMemory(),
    private readonly scoresKept = maxScoresKept,
  ) {}

  get rows(): number {
    return this.pool.rows;
  }

  /** D. */
  get width(): number {
    return this.pool.columns;
  }

  get columns(): number {
    return this.scored.weights.rows + (this.scored.noneCosts === null ? 0 : 1);
  }

  private get keptAs(): KeptCosts {
    return this.scored.keptAs ?? 'pool';
  }

  private get fits(): boolean {
    return this.rows * this.columns <= this.scoresKept;
  }

  async visit(visitor: (costs: Matrix, start: number) => void): Promise<void> {
    if (this.memory.isOf(this.keptAs, this))
      for (let start = 0; start < this.rows; start += rowsAtOnce) {
        visitor(this.costsAt(start), start);
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
    const isKept = this.memory.isOf(this.keptAs, this);
    if (!isKept) this.memory.give(this.keptAs, null);
    let start = 0;
    const memory = (length: number): Float32Array => this.memory.room('rows', length);
    for (const piece of passingPiecesOf(this.pool, rowsAtOnce, memory)) {
      const rows = isStored(this.pool) ? directRows(piece, 1) : piece; // stored rows have the length that they have
      const costs = this.costsAt(start);
      if (!isKept) await this.fill(costs, rows, start);
      await visitor(costs, rows, start);
      await this.scored.turns?.next();
      start += rows.rows;
    }
    if (this.fits) this.memory.give(this.keptAs, this);
  }

  /** Of the rows from `start` on; all in the same place when they do not fit into memory together. */
  private costsAt(start: number): Matrix {
    const { columns, fits } = this;
    const all = this.memory.room(this.keptAs, (fits ? this.rows : Math.min(rowsAtOnce, this.rows)) * columns);
    const rows = Math.min(rowsAtOnce, this.rows - start);
    const from = fits ? start * columns : 0;
    return matrix(rows, columns, all.subarray(from, from + rows * columns));
  }

  private async fill(costs: Matrix, rows: Matrix, start: number): Promise<void> {
    const { weights, offsets, noneCosts } = this.scored;
    const room = this.memory.room('scores', rows.rows * weights.rows);
    const scores = matrix(rows.rows, weights.rows, room);
    await this.products.forward(rows, weights, scores);
    const { columns } = this;
    for (let n = 0; n < rows.rows; n++) {
      for (let c = 0; c < weights.rows; c++)
        costs.data[n * columns + c] = -scores.data[n * weights.rows + c] - offsets[c];
      if (noneCosts) costs.data[n * columns + weights.rows] = noneCosts[start + n];
    }
  }
}

/** The rows themselves if their scores fit into memory, otherwise as many of them as do, spread evenly. */
export function scoresThatFit(pool: RowSource, columns: number, scoresKept = maxScoresKept): RowSource {
  const count = Math.floor(scoresKept / columns);
  if (pool.rows <= count) return pool;
  const picked = Array.from({ length: count }, (_, i) => Math.floor((i * pool.rows) / count));
  return rowsAt(pool, picked);
}
