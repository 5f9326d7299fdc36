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

export interface PictureSpread {
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
    private readonly spread: PictureSpread,
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

  /** A new class, that has so many rows with this sum to begin with. */
  addFresh(count: number, sums: Float64Array): void {
    const c = this.fresh.add(new Float64Array(this.rows.columns), this.spread.between);
    this.fresh.give(c, count, sums, 0);
    this.freshShares.push(new Float64Array(this.rows.rows));
  }

  /** A new class of these rows. Known classes lose them first: those that were drawn to them would keep them otherwise. */
  addFreshOf(members: ArrayLike<number>, sums: Float64Array): void {
    this.addFresh(members.length, sums);
    const T = this.likely.perRow;
    for (let m = 0; m < members.length; m++) {
      for (const shares of this.freshShares) shares[members[m]] = 0;
      this.freshShares[this.freshShares.length - 1][members[m]] = 1;
      this.knownShares.fill(0, members[m] * T, (members[m] + 1) * T);
    }
    this.maximise();
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

  /**
   * What becomes of rows when they are none of the known classes' own: their log densities, and how much less the means of these classes then cost. A class that
   * hardly has other rows was drawn to these, and falls back to where it is believed to lie.
   */
  withoutRows(members: ArrayLike<number>): { readonly logDensity: Float64Array; readonly saving: number } {
    const { rows, likely, known } = this;
    const [T, k] = [likely.perRow, rows.columns];
    const taken = new Map<number, { count: number; readonly sum: Float64Array }>();
    const shares: { readonly m: number; readonly c: number }[] = [];
    for (let m = 0; m < members.length; m++) {
      const i = members[m];
      const ofFresh = this.shareOfAllFresh(i);
      for (let t = i * T; t < (i + 1) * T; t++) {
        const c = likely.classes[t];
        const share = c < 0 ? 0 : this.shareGiven(t, ofFresh);
        if (share < tooSmallToMove) continue;
        const own = taken.get(c) ?? { count: 0, sum: new Float64Array(k) };
        taken.set(c, own);
        own.count += share;
        addRow(own.sum, 0, rows.data, i * k, k, share);
        shares.push({ m, c });
      }
    }
    let saving = 0;
    const fallen = new Map<number, Components>();
    for (const [c, { count, sum }] of taken) {
      const alone = known.without(c, count, sum);
      fallen.set(c, alone);
      saving += known.costOfMean(c) - alone.costOfMean(0);
    }
    // exp(log density) of a row, in parts of what it was
    const parts = new Float64Array(members.length).fill(1);
    for (const { m, c } of shares) {
      const [i, before] = [members[m], this.logDensity[members[m]]];
      const was = Math.exp(known.logDensity(c, rows.data, i * k) - before);
      const is = Math.exp(fallen.get(c)!.logDensity(0, rows.data, i * k) - before);
      parts[m] += is - was;
    }
    return {
      logDensity: parts.map((part, m) => this.logDensity[members[m]] + Math.log(Math.max(part, minPart))),
      saving,
    };
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
    const { rows, likely, known, fresh } = this;
    const [T, k] = [likely.perRow, rows.columns];
    const counts = new Float64Array(known.count);
    const sums = new Float64Array(known.count * k);
    for (let i = 0; i < rows.rows; i++) {
      const ofFresh = this.shareOfAllFresh(i);
      for (let t = i * T; t < (i + 1) * T; t++) {
        const c = likely.classes[t];
        if (c < 0) continue;
        const share = this.shareGiven(t, ofFresh);
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

  private shareOfAllFresh(row: number): number {
    return this.freshShares.reduce((sum, shares) => sum + shares[row], 0);
  }

  /** With which a row counts for a known class; `at`: its place in (n, T). */
  private shareGiven(at: number, ofFresh: number): number {
    const { headShare, likely, knownShares } = this;
    return headShare * likely.probabilities[at] * (1 - ofFresh) + (1 - headShare) * knownShares[at];
  }
}

const negligible = 1e-9;
/** Many clusters are tried, and most classes have next to nothing of a row. */
const tooSmallToMove = 1e-3;
/** What is left of a density by rounding. */
const minPart = 1e-12;

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
