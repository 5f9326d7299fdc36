import type { Confidence } from './confidence-description.js';

/** Below so many classes held out in validation, measures of confidence follow chance; dry runs then know the mean alone. */
export const enoughValidationClasses = 12;

/** What is to be said of a calibration that rests on few classes; null where there are enough. */
export function calibrationCaution({ recognition }: Pick<Confidence, 'recognition'>): string | null {
  const classes = recognition?.classes ?? 0;
  if (classes >= enoughValidationClasses) return null;
  const held = classes === 1 ? 'a single class' : `${classes} classes`;
  return `measured on ${held} held out, which is not enough to be sure of probabilities, verdicts and dry runs: more seen classes make it surer`;
}
