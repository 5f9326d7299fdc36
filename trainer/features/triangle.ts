/** L^-1 in place of the lower triangle L (n, n); what stands above the diagonal is not used. */
export function invertLowerTriangle(l: Float64Array, n: number): void {
  // Row i of the inverse from the rows above it: (L^-1)_i = (e_i - sum over j < i of L_ij (L^-1)_j) / L_ii.
  const row = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    row.fill(0, 0, i + 1);
    for (let j = 0; j < i; j++) {
      const factor = l[i * n + j];
      if (factor === 0) continue;
      const start = j * n;
      for (let k = 0; k <= j; k++) row[k] -= factor * l[start + k];
    }
    const diagonal = 1 / l[i * n + i];
    for (let k = 0; k < i; k++) l[i * n + k] = row[k] * diagonal;
    l[i * n + i] = diagonal;
  }
}
