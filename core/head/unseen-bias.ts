/**
 * The bias on unseen classes for the number of them that compete. The more there are, the higher the best of them scores on a
 * picture of a seen class by chance, and the less they must be favoured:
 *
 *   bias(k) = unseenBias + unseenBiasSlope * ln(k / unseenBiasClasses)        k unseen classes compete
 *
 * The slope is fitted on validation classes (trainer/selection/bias.ts). It lets one bundle serve with one class added at
 * runtime, or with hundreds.
 */
import type { Manifest } from '../bundle/manifest.js';

export type BiasDescription = Pick<Manifest['head'], 'unseenBias' | 'unseenBiasSlope' | 'unseenBiasClasses'>;

export function unseenBiasFor(
  { unseenBias, unseenBiasSlope, unseenBiasClasses }: BiasDescription,
  competing: number,
): number {
  if (unseenBiasClasses === null || unseenBiasSlope === 0) return unseenBias;
  return unseenBias + unseenBiasSlope * Math.log(Math.max(1, competing) / unseenBiasClasses);
}
