import type { Manifest } from '../bundle/manifest.js';

/** What serving adds to the score of the c-th class, runtime classes counted after the bundle's. */
export function servingBias({ classes, head }: Manifest, c: number): number {
  return c < classes.length && classes[c].seen ? 0 : head.unseenBias;
}
