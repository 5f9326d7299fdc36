/**
 * Pictures as a mixture of known classes and of new ones, fitted by expectation and maximisation. n rows y_i (k values each), C known classes, G new ones.
 *
 *   expectation    r_ic  the share of row i that belongs to c: proportional to the density of y_i under c, times the rows that c has
 *   maximisation   a new class gets the rows of its shares; a known one gets  h p_ic (1 - share of new classes) + (1 - h) r_ic
 *
 * p_ic is the probability that the head gives to a known class, and h how far it is trusted (`headShare`). The head tells known classes apart better than
 * distances do; without it a class that is known by attributes alone wanders onto pictures of a new one. Only classes that the head finds likely
 * take part in a row, so that thousands of classes cost no more than hundreds.
 */
import type { Matrix } from '../matrix.js';
import { Components } from './components.js';

/** What the head says of each row: its T likeliest classes. */
export interface LikelyClasses {
  readonly perRow: number; // T
  readonly classes: Int32Array; // (n, T)
  readonly probabilities: Float32Array; // (n, T), adding up to 1 for each row
}

/** What is believed of where a class lies: (k) each. */
export interface Belief {
  readonly mean: ArrayLike<number>;
  readonly variance: ArrayLike<number>;
}

export interface Spread {
  readonly within: Float64Array; // (k): of pictures around their class
  readonly between: Float64Array; // (k): of classes around 0
}

export class Mixture {
  /** Of each row under all components: log density. */
  readonly logDensity: Float64Array; // (n)
  readonly fresh: Components;
  private readonly known: Components;
  private knownShares: Float64Array; // (n, T)
  private freshShares: Float64Array[] = []; // G times (n)

  constructor(
    private readonly rows: Matrix, // (n, k)
    private readonly likely: LikelyClasses,
    known: readonly Belief[],
    private readonly spread: Spread,
    private readonly headShare: number,
  ) {
    this.logDensity = new Float64Array(rows.rows);
    this.known = new Components(spread.within, known.length);
    for (const { mean, variance } of known) this.known.add(mean, variance);
    this.fresh = new Components(spread.within, 8);
    this.knownShares = Float64Array.from(likely.probabilities);
    this.maximise();
    this.expect();
  }

  get freshCount(): number {
    return this.fresh.count;
  }

  /** A new class, that has these rows to begin with. */
  addFresh(count: number, sums: Float64Array): void {
    const c = this.fresh.add(new Float64Array(this.rows.columns), this.spread.between);
    this.fresh.give(c, count, sums, 0);
    this.freshShares.push(new Float64Array(this.rows.rows));
  }

  /** So many rounds, which end with what each row then belongs to. */
  fit(rounds: number): void {
    for (let round = 0; round < rounds; round++) {
      this.expect();
      this.maximise();
    }
    this.expect();
  }

  shareOfFresh(c: number, row: number): number {
    return this.freshShares[c][row];
  }

  /** The new class that has most of the row; -1 when a known one has more. */
  freshOf(row: number): number {
    let [best, most] = [-1, 0];
    for (let t = row * this.likely.perRow; t < (row + 1) * this.likely.perRow; t++)
      most = Math.max(most, this.knownShares[t]);
    for (let c = 0; c < this.freshShares.length; c++)
      if (this.freshShares[c][row] > most) {
        most = this.freshShares[c][row];
        best = c;
      }
    return best;
  }

  private expect(): void {
    const { rows, likely, known, fresh } = this;
    const [T, k] = [likely.perRow, rows.columns];
    const logs = new Float64Array(T + fresh.count);
    for (let i = 0; i < rows.rows; i++) {
      let max = -Infinity;
      for (let t = 0; t < T; t++) {
        const c = likely.classes[i * T + t];
        logs[t] = c < 0 ? -Infinity : known.logDensity(c, rows.data, i * k);
        if (logs[t] > max) max = logs[t];
      }
      for (let c = 0; c < fresh.count; c++) {
        logs[T + c] = fresh.logDensity(c, rows.data, i * k);
        if (logs[T + c] > max) max = logs[T + c];
      }
      let total = 0;
      for (let c = 0; c < logs.length; c++) total += logs[c] = Math.exp(logs[c] - max);
      this.logDensity[i] = max + Math.log(total);
      for (let t = 0; t < T; t++) this.knownShares[i * T + t] = logs[t] / total;
      for (let c = 0; c < fresh.count; c++) this.freshShares[c][i] = logs[T + c] / total;
    }
  }

  private maximise(): void {
    const { rows, likely, known, fresh, headShare } = this;
    const [T, k] = [likely.perRow, rows.columns];
    const counts = new Float64Array(known.count);
    const sums = new Float64Array(known.count * k);
    for (let i = 0; i < rows.rows; i++) {
      let ofFresh = 0;
      for (const shares of this.freshShares) ofFresh += shares[i];
      for (let t = i * T; t < (i + 1) * T; t++) {
        const c = likely.classes[t];
        if (c < 0) continue;
        const share =
          headShare * likely.probabilities[t] * (1 - ofFresh) + (1 - headShare) * this.knownShares[t];
        if (share < negligible) continue;
        counts[c] += share;
        addRow(sums, c * k, rows.data, i * k, k, share);
      }
    }
    for (let c = 0; c < known.count; c++) known.give(c, counts[c], sums, c * k);
    for (let c = 0; c < fresh.count; c++) {
      const own = new Float64Array(k);
      let count = 0;
      for (let i = 0; i < rows.rows; i++) {
        const share = this.freshShares[c][i];
        if (share < negligible) continue;
        count += share;
        addRow(own, 0, rows.data, i * k, k, share);
      }
      fresh.give(c, count, own, 0);
    }
  }
}

const negligible = 1e-9;

function addRow(
  target: Float64Array,
  at: number,
  rows: Float32Array,
  from: number,
  k: number,
  factor: number,
): void {
  for (let d = 0; d < k; d++) target[at + d] += factor * rows[from + d];
}
