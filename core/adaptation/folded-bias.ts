import type { Manifest } from '../bundle/manifest.js';
import { unseenShareOf } from '../fitting/serving-bias.js';
import type { RuntimeClass } from '../fitting/runtime-class.js';
import { unseenBiasFor } from '../head/unseen-bias.js';

/**
 * The constant of a fitted head row with what assigned pictures take from the bias on unseen classes: for whoever keeps the row, and not the
 * number of pictures behind it. `competing` unseen classes compete; by default as many as the bundle has.
 */
export function foldedBias(
  manifest: Manifest,
  one: Pick<RuntimeClass, 'name' | 'attributes' | 'examples' | 'assigned'>,
  bias: number,
  competing = manifest.classes.filter(({ seen }) => !seen).length,
): number {
  const { name, attributes, examples } = one;
  const without = unseenShareOf(manifest, { name, attributes, ...(examples && { examples }) });
  return bias + unseenBiasFor(manifest.head, competing) * (unseenShareOf(manifest, one) - without);
}
