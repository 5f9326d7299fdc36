/**
 * Classes as components of a mixture (mixture.ts), each with what is believed of its mean along k directions: a normal distribution, that narrows
 * with the rows that the component is given.
 *
 *   prior      mu ~ N(m, V)
 *   with rows  mu ~ N(V' (m / V + s / W), V'),   V' = 1 / (1 / V + N / W)     of N rows (shares of rows add up) with sum s
 *   a row      y  ~ N(mean of mu, W + variance of mu)
 *
 * W is the variance of pictures around their class. All are diagonal.
 */
export class Components {
  count = 0;
  private priorMean: Float64Array; // (capacity, k)
  private priorVariance: Float64Array;
  private mean: Float64Array;
  private variance: Float64Array;
  private precision: Float64Array; // of a row: 1 / (W + variance)
  private constant: Float64Array; // (capacity): what does not depend on the row
  /** Rows of each, and one more: none is ruled out by having none. */
  private weight: Float64Array;

  constructor(
    private readonly within: Float64Array, // W (k)
    capacity: number,
  ) {
    const k = within.length;
    this.priorMean = new Float64Array(capacity * k);
    this.priorVariance = new Float64Array(capacity * k);
    this.mean = new Float64Array(capacity * k);
    this.variance = new Float64Array(capacity * k);
    this.precision = new Float64Array(capacity * k);
    this.constant = new Float64Array(capacity);
    this.weight = new Float64Array(capacity);
  }

  /** Returns its place. */
  add(priorMean: ArrayLike<number>, priorVariance: ArrayLike<number>): number {
    const k = this.within.length;
    if (this.count === this.weight.length) this.grow();
    this.priorMean.set(priorMean, this.count * k);
    this.priorVariance.set(priorVariance, this.count * k);
    this.count += 1;
    this.give(this.count - 1, 0, new Float64Array(k), 0);
    return this.count - 1;
  }

  /** The component has `rows` rows, whose sum is k values from `offset` on. */
  give(c: number, rows: number, sums: Float64Array, offset: number): void {
    const k = this.within.length;
    let logarithms = 0;
    for (let d = 0, at = c * k; d < k; d++, at++) {
      const w = this.within[d];
      const variance = 1 / (1 / this.priorVariance[at] + rows / w);
      this.variance[at] = variance;
      this.mean[at] = variance * (this.priorMean[at] / this.priorVariance[at] + sums[offset + d] / w);
      this.precision[at] = 1 / (w + variance);
      logarithms += Math.log(w + variance);
    }
    this.weight[c] = rows + 1;
    this.constant[c] = Math.log(rows + 1) - logarithms / 2;
  }

  /** Log density of k values from `offset` on, with the weight of the component; what all have in common is left out. */
  logDensity(c: number, rows: Float32Array, offset: number): number {
    const k = this.within.length;
    let squares = 0;
    for (let d = 0, at = c * k; d < k; d++, at++) {
      const difference = rows[offset + d] - this.mean[at];
      squares += difference * difference * this.precision[at];
    }
    return this.constant[c] - squares / 2;
  }

  /** What believing in this mean costs: log of its density under its prior, less that under what is believed of it now. */
  costOfMean(c: number): number {
    const k = this.within.length;
    let sum = 0;
    for (let at = c * k; at < (c + 1) * k; at++) {
      const difference = this.mean[at] - this.priorMean[at];
      sum += (difference * difference) / this.priorVariance[at];
      sum += Math.log(this.priorVariance[at]) - Math.log(this.variance[at]);
    }
    return sum / 2;
  }

  /** The component by itself, as it would be without some of its rows (shares of them), whose sum is given. */
  without(c: number, rows: number, sums: ArrayLike<number>): Components {
    const k = this.within.length;
    const alone = new Components(this.within, 1);
    const [priorMean, priorVariance] = [this.priorMean, this.priorVariance].map((all) =>
      all.subarray(c * k, (c + 1) * k),
    );
    alone.add(priorMean, priorVariance);
    const left = Float64Array.from(this.within, (w, d) => {
      const at = c * k + d;
      return (this.mean[at] / this.variance[at] - priorMean[d] / priorVariance[d]) * w - sums[d];
    });
    alone.give(0, Math.max(0, this.rowsOf(c) - rows), left, 0);
    return alone;
  }

  rowsOf(c: number): number {
    return this.weight[c] - 1;
  }

  meanOf(c: number): Float64Array {
    const k = this.within.length;
    return this.mean.slice(c * k, (c + 1) * k);
  }

  private grow(): void {
    const capacity = Math.max(8, 2 * this.weight.length);
    const k = this.within.length;
    const larger = (values: Float64Array, length: number): Float64Array => {
      const copy = new Float64Array(length);
      copy.set(values);
      return copy;
    };
    this.priorMean = larger(this.priorMean, capacity * k);
    this.priorVariance = larger(this.priorVariance, capacity * k);
    this.mean = larger(this.mean, capacity * k);
    this.variance = larger(this.variance, capacity * k);
    this.precision = larger(this.precision, capacity * k);
    this.constant = larger(this.constant, capacity);
    this.weight = larger(this.weight, capacity);
  }
}
