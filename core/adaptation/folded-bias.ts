import type { Manifest } from '../bundle/manifest.js';
import { unseenShareOf } from '../fitting/serving-bias.js';
import type { RuntimeClass } from '../fitting/runtime-class.js';
import { unseenBiasFor } from '../head/unseen-bias.js';

/**
 * The constant of a fitted head row with what its pictures take from the bias on unseen classes: for whoever keeps the row, and of the pictures behind
 * it knows only those of `served`. `competing` unseen classes compete; by default as many as the bundle has.
 */
export function foldedBias(
  manifest: Manifest,
  fitted: DescribedClass,
  served: DescribedClass,
  bias: number,
  competing = manifest.classes.filter(({ seen }) => !seen).length,
): number {
  const shares = unseenShareOf(manifest, fitted) - unseenShareOf(manifest, served);
  return bias + unseenBiasFor(manifest.head, competing) * shares;
}

type DescribedClass = Pick<RuntimeClass, 'name' | 'attributes' | 'examples' | 'assigned'>;
