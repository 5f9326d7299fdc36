import type { Manifest } from '../bundle/manifest.js';
import { unseenBiasFor } from '../head/unseen-bias.js';

/** What serving adds to the score of each class, with so many runtime classes counted after the bundle's. */
export function servingBiases({ classes, head }: Manifest, runtimeClasses: number): Float64Array {
  const isSeen = (c: number): boolean => c < classes.length && classes[c].seen;
  const all = classes.length + runtimeClasses;
  const unseen = classes.filter(({ seen }) => !seen).length + runtimeClasses;
  const bias = unseenBiasFor(head, unseen);
  return Float64Array.from({ length: all }, (_, c) => (isSeen(c) ? 0 : bias));
}
