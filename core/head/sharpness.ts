/**
 * Scores are multiplied by the sharpness before the softmax, so that probabilities are frequencies (trainer/confidence/sharpness.ts). It depends on the
 * best class alone: answers of classes that are known by attributes are right more often than one sharpness for all would say, answers of seen classes
 * less often. All classes of an answer are sharpened alike, so that their order stays.
 */
import type { Confidence } from '../bundle/confidence-description.js';

export type Sharpness = Pick<Confidence, 'sharpness' | 'unseenSharpness'>;

/** Of a model whose probabilities were not calibrated. */
export const uncalibrated: Sharpness = { sharpness: 1 };

/** `unseenShare` of the best class: 0 for a seen one, 1 for one that is known by its attributes alone, between them with pictures of its own. */
export function sharpnessFor(
  { sharpness, unseenSharpness = sharpness }: Sharpness,
  unseenShare: number,
): number {
  return sharpness + unseenShare * (unseenSharpness - sharpness);
}
