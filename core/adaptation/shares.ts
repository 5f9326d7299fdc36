/**
 * One row of a plan: shares_c = softmax_c( (g_c - C_c) / epsilon ), written into `shares`, together 1. Returns the logarithm of the sum
 * of the exponentials. `data` holds the costs, from `offset` on.
 */
export function fillShares(
  shares: Float64Array,
  data: Float32Array,
  offset: number,
  potentials: Float64Array,
  epsilon: number,
): number {
  const columns = shares.length;
  let largest = -Infinity;
  for (let c = 0; c < columns; c++) {
    const exponent = (potentials[c] - data[offset + c]) / epsilon;
    shares[c] = exponent;
    if (exponent > largest) largest = exponent;
  }
  let sum = 0;
  for (let c = 0; c < columns; c++) {
    const part = Math.exp(shares[c] - largest);
    shares[c] = part;
    sum += part;
  }
  for (let c = 0; c < columns; c++) shares[c] /= sum;
  return largest + Math.log(sum);
}
