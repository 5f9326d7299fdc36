/** Blocks of rows laid out as one problem, in the form of objective/fit-problem.ts: real rows first, then synthetic ones. */
import { lengthOf } from '../../head/synthetic-rows.js';
import { matrix, rowOf, stackRows, type Matrix } from '../../matrix.js';
import type { ProblemRows } from '../objective/fit-problem.js';
import type { RealBlock, RowBlock, RowContext, SyntheticBlock } from './row-source.js';

/** Where the rows of a block are. */
export interface PlacedBlock {
  readonly identity: object;
  readonly firstRow: number;
  readonly rows: number;
}

export interface Assembly {
  readonly rows: ProblemRows;
  readonly baseOffsets: Float64Array; // (n): log-sum-exp of each row's scores over the bundle's classes
  readonly placed: readonly PlacedBlock[]; // in the order of the rows
}

export function assembleRows(
  { settings, donors, rowsPerDraw }: Pick<RowContext, 'settings' | 'donors' | 'rowsPerDraw'>,
  blocks: readonly RowBlock[],
): Assembly {
  const realBlocks = blocks.filter((block) => block.kind === 'real');
  const syntheticBlocks = blocks.filter((block) => block.kind === 'synthetic');
  const real = realBlocks.reduce((sum, { label }) => sum + label.length, 0);
  const synthetic = syntheticBlocks.reduce((sum, block) => sum + rowCount(block), 0);
  const pool = poolFeatures(donors.features, realBlocks);
  const meanOf = new Int32Array(pool.features.rows); // only those of donors are ever read
  meanOf.set(donors.meanOf);
  const length = settings.residual > 0 ? donors.meanLength : 1;
  const rows = {
    real: pool.features,
    realRow: new Int32Array(real),
    means: donors.classMeans,
    meanOf,
    draws: stackRows([
      matrix(0, pool.features.columns),
      ...syntheticBlocks.map((block) => block.synthetic.draws),
    ]),
    draw: new Int32Array(synthetic),
    donor: new Int32Array(synthetic),
    scale: new Float32Array(synthetic),
    label: new Int32Array(real + synthetic),
    weight: new Float64Array(real + synthetic),
    temperature: settings.temperature ?? 1,
    typicalLength:
      settings.temperature === null ? meanRowLength(donors.features) : settings.temperature * length,
    residual: settings.residual,
    length,
  };
  const baseOffsets = new Float64Array(real + synthetic);
  const placed: PlacedBlock[] = [];
  let row = 0;
  for (const block of realBlocks) {
    const first = pool.firstOf.get(block.features)!;
    block.feature.forEach((index, i) => (rows.realRow[row + i] = first + index));
    rows.label.set(block.label, row);
    rows.weight.set(block.weight, row);
    baseOffsets.set(block.baseOffsets, row);
    placed.push({ identity: block.identity, firstRow: row, rows: block.label.length });
    row += block.label.length;
  }
  let draw = 0;
  for (const { identity, label, weight, synthetic: source } of syntheticBlocks) {
    const count = source.scales.length;
    for (let i = 0; i < count; i++) rows.draw[row - real + i] = draw + Math.floor(i / rowsPerDraw);
    rows.donor.set(source.donors, row - real);
    rows.scale.set(source.scales, row - real);
    rows.label.fill(label, row, row + count);
    rows.weight.fill(weight / count, row, row + count);
    baseOffsets.set(source.baseOffsets, row);
    placed.push({ identity, firstRow: row, rows: count });
    const { rows: drawn, columns } = source.draws;
    source.draws = matrix(drawn, columns, rows.draws.data.subarray(draw * columns, (draw + drawn) * columns));
    row += count;
    draw += drawn;
  }
  return { rows, baseOffsets, placed };
}

function rowCount({ synthetic }: SyntheticBlock): number {
  return synthetic.scales.length;
}

function meanRowLength(features: Matrix): number {
  let sum = 0;
  for (let i = 0; i < features.rows; i++) sum += lengthOf(rowOf(features, i));
  return sum / features.rows;
}

/** Every matrix of features once, the donors first: rows of the donors keep their indices. */
function poolFeatures(donors: Matrix, blocks: readonly RealBlock[]) {
  const parts = [...new Set([donors, ...blocks.map(({ features }) => features)])];
  const firstOf = new Map<Matrix, number>();
  let rows = 0;
  for (const part of parts) {
    firstOf.set(part, rows);
    rows += part.rows;
  }
  return { features: parts.length === 1 ? donors : stackRows(parts), firstOf };
}
