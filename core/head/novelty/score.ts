/** One score of how new a picture looks, from all that is observed of it; only its order counts until scale.ts gives it a meaning. */
import type { NoveltyDescription } from '../../bundle/confidence-description.js';

export interface NoveltySigns {
  /** Of the calibrated probabilities, in nats. */
  readonly entropy: number;
  /** The best score of all classes, sharpened as before the softmax. */
  readonly bestScore: number;
  readonly ratios: readonly number[];
  readonly far: number;
}

export type NoveltyWeights = Pick<NoveltyDescription, 'weights' | 'far'>;

export function noveltyScore(
  { entropy, bestScore, ratios, far }: NoveltySigns,
  { weights, far: { edge, scale, weight } }: NoveltyWeights,
): number {
  let score = weights.entropy * entropy - weights.score * bestScore;
  for (let i = 0; i < ratios.length; i++) score += weights.ratios[i] * ratios[i];
  return score + weight * Math.max(0, (far - edge) / scale);
}
