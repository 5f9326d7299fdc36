/**
 * Exact transport between equally many sources and targets of equal mass: an assignment problem (Birkhoff), solved by
 * shortest augmenting paths (Jonker & Volgenant 1987), O(N^3). The oracle that the iterative solvers are held against.
 */
import { matrix } from '../../core/matrix.js';
import { transportResult, type TransportProblem, type TransportResult } from './transport-problem.js';

export function solveExactly(problem: TransportProblem): TransportResult {
  const { rows: size, columns } = problem.cost;
  if (size !== columns)
    throw new RangeError(`the exact solver needs a square cost, not ${size} x ${columns}`);
  const rowOfColumn = assign(problem);
  const plan = matrix(size, size);
  rowOfColumn.forEach((row, column) => (plan.data[row * size + column] = 1 / size));
  return transportResult(problem, plan, size);
}

function assign({ cost }: TransportProblem): Int32Array {
  const size = cost.rows;
  const rowOfColumn = new Int32Array(size).fill(-1);
  const rowPotential = new Float64Array(size);
  const columnPotential = new Float64Array(size);

  for (let start = 0; start < size; start++) {
    const distance = new Float64Array(size).fill(Infinity); // of the shortest alternating path to each column
    const previous = new Int32Array(size).fill(-1); // the column before it on that path
    const settled = new Uint8Array(size);
    let row = start;
    let column = -1;
    let reached = 0; // length of the path to `row`
    for (;;) {
      let next = -1;
      for (let j = 0; j < size; j++) {
        if (settled[j]) continue;
        const length = reached + cost.data[row * size + j] - rowPotential[row] - columnPotential[j];
        if (length < distance[j]) {
          distance[j] = length;
          previous[j] = column;
        }
        if (next < 0 || distance[j] < distance[next]) next = j;
      }
      column = next;
      reached = distance[column];
      settled[column] = 1;
      if (rowOfColumn[column] < 0) break;
      row = rowOfColumn[column];
    }
    for (let j = 0; j < size; j++) {
      if (!settled[j] || j === column) continue;
      rowPotential[rowOfColumn[j]] += reached - distance[j];
      columnPotential[j] -= reached - distance[j];
    }
    rowPotential[start] += reached;
    while (column >= 0) {
      const before = previous[column];
      rowOfColumn[column] = before < 0 ? start : rowOfColumn[before];
      column = before;
    }
  }
  return rowOfColumn;
}
