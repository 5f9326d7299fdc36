/** One score of how new a picture looks, from all that is observed of it; only its order counts until scale.ts gives it a meaning. */
import type { NoveltyDescription } from '../../bundle/confidence-description.js';

export interface NoveltySigns {
  /** Of the calibrated probabilities, in nats. */
  readonly entropy: number;
  /** The best score of all classes, sharpened as for a seen class. */
  readonly bestScore: number;
  readonly ratios: readonly number[];
  /** The probability that classes known by attributes have together. */
  readonly unseenProbability: number;
  /** Length of the head row of the best class. */
  readonly rowLength: number;
  /** See geometry.ts. */
  readonly residual: number;
  readonly far: number;
}

type NoveltyWeights = Pick<NoveltyDescription, 'weights' | 'far'>;

export function noveltyScore(
  { entropy, bestScore, ratios, unseenProbability, rowLength, residual, far }: NoveltySigns,
  { weights, far: { edge, scale, weight } }: NoveltyWeights,
): number {
  let score = weights.entropy * entropy - weights.score * bestScore;
  for (let i = 0; i < ratios.length; i++) score += weights.ratios[i] * ratios[i];
  score +=
    weights.unseenShare * unseenProbability + weights.rowLength * rowLength + weights.residual * residual;
  return score + weight * Math.max(0, (far - edge) / scale);
}
