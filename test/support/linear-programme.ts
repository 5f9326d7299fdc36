/**
 * A linear programme at small sizes, solved exactly up to rounding: min c·x subject to A x = b, x >= 0, by the two-phase simplex method on a dense
 * tableau. Bland's rule picks the pivots, so that it always ends. The oracle of transport problems in tests; nothing else should use it.
 */
export interface LinearProgramme {
  readonly costs: readonly number[]; // c (n)
  readonly rows: readonly (readonly number[])[]; // A (m, n)
  readonly values: readonly number[]; // b (m)
}

interface Optimum {
  readonly cost: number;
  readonly solution: readonly number[]; // x (n)
}

const zero = 1e-10;

export function solveLinearProgramme({ costs, rows, values }: LinearProgramme): Optimum {
  const [m, n] = [rows.length, costs.length];
  // One artificial variable for each row makes a first vertex; the last column holds b, which must not be negative.
  const tableau = rows.map((row, i) => {
    const sign = values[i] < 0 ? -1 : 1;
    const artificial = Array.from({ length: m }, (_, k) => (k === i ? 1 : 0));
    return [...row.map((value) => sign * value), ...artificial, sign * values[i]];
  });
  const basis = Array.from({ length: m }, (_, i) => n + i);
  const infeasibility = minimise(tableau, basis, [...Array<number>(n).fill(0), ...Array<number>(m).fill(1)]);
  if (infeasibility > 1e-7) throw new RangeError('the linear programme has no feasible point');
  // Artificial variables that are still in the basis stand at zero: they leave it, or their row says nothing.
  for (let i = 0; i < m; i++) {
    if (basis[i] < n) continue;
    const column = tableau[i].findIndex((value, k) => k < n && Math.abs(value) > 1e-7);
    if (column >= 0) pivot(tableau, basis, i, column);
  }
  for (const row of tableau) row.fill(0, n, n + m);
  const cost = minimise(tableau, basis, [...costs, ...Array<number>(m).fill(0)]);
  const solution = Array<number>(n).fill(0);
  basis.forEach((variable, i) => {
    if (variable < n) solution[variable] = tableau[i].at(-1)!;
  });
  return { cost, solution };
}

/** From the vertex of `basis` to the best one; returns its cost. */
function minimise(tableau: number[][], basis: number[], costs: readonly number[]): number {
  for (;;) {
    const reduced = (k: number): number =>
      costs[k] - basis.reduce((sum, variable, i) => sum + costs[variable] * tableau[i][k], 0);
    const entering = costs.findIndex((_, k) => !basis.includes(k) && reduced(k) < -zero);
    if (entering < 0)
      return basis.reduce((sum, variable, i) => sum + costs[variable] * tableau[i].at(-1)!, 0);
    let leaving = -1;
    let least = Infinity;
    tableau.forEach((row, i) => {
      if (row[entering] <= zero) return;
      const ratio = row.at(-1)! / row[entering];
      if (ratio < least - zero || (ratio < least + zero && basis[i] < basis[leaving])) {
        least = Math.min(least, ratio);
        leaving = i;
      }
    });
    if (leaving < 0) throw new RangeError('the linear programme has no least cost');
    pivot(tableau, basis, leaving, entering);
  }
}

function pivot(tableau: number[][], basis: number[], row: number, column: number): void {
  const factor = tableau[row][column];
  tableau[row] = tableau[row].map((value) => value / factor);
  tableau.forEach((other, i) => {
    if (i === row || other[column] === 0) return;
    const times = other[column];
    tableau[i] = other.map((value, k) => value - times * tableau[row][k]);
  });
  basis[row] = column;
}
