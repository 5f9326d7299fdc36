import { headRows } from '../../head/feature-map.js';
import type { Matrix } from '../../matrix.js';
import type { RealBlock, RowContext } from './row-source.js';

/** The rows of a block: (m) each. */
type WeightedRows = Pick<RealBlock, 'feature' | 'label' | 'weight'>;

/**
 * A block of real rows. The mapped features (r, D) that they refer to become directions of unit length in place, unless the
 * bundle's head sees rows of any length.
 */
export async function realBlock(
  { bundle, products, base }: Pick<RowContext, 'bundle' | 'products' | 'base'>,
  features: Matrix,
  { feature, label, weight }: WeightedRows,
): Promise<RealBlock> {
  const { temperature } = bundle.manifest.head;
  const offsets = await products.logSumExp(headRows(features, temperature), base);
  const baseOffsets = Float64Array.from(feature, (index) => offsets[index]);
  headRows(features, temperature === null ? null : 1);
  return { kind: 'real', identity: features, features, feature, label, weight, baseOffsets };
}
