import { toHalf } from '../../core/half.js';
import { sha256Of } from '../../core/hash.js';
import type { PoolPicture } from './contract.js';

/** Features of a picture as a pool keeps them. The same features have the same id: a picture that comes again is kept once. */
export function poolPicture(features: Float32Array, answered: string): PoolPicture {
  const halves = toHalf(features);
  const bytes = new Uint8Array(halves.buffer, halves.byteOffset, halves.byteLength);
  return { id: sha256Of(bytes).slice(0, 32), features: halves, answered };
}
