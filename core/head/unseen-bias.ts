/**
 * The bias on unseen classes for the number of them that compete. The more there are, the higher the best of them scores on a
 * picture of a seen class by chance, and the less they must be favoured:
 *
 *   bias(k) = unseenBias + slope * ln(k / unseenBiasClasses)        k unseen classes compete
 *   slope   = unseenBiasSlope up to unseenBiasClasses of them, half of it beyond
 *
 * Beyond the number that validation saw the bias goes on falling, but more slowly: on folds of CUB in which 15 to 50 unseen classes
 * competed by 0.08 to 0.17 for each unit of the logarithm, against 0.19 to 0.25 from 1 to 15 (docs/experiments.md).
 * How these classes score on rows of seen classes was tried beside their number, and adds nothing (bench/unseen-bias.ts).
 * The slope is fitted on validation classes (trainer/selection/bias.ts). It lets one bundle serve with one class added at
 * runtime, or with hundreds.
 */
import type { Manifest } from '../bundle/manifest.js';

type BiasDescription = Pick<Manifest['head'], 'unseenBias' | 'unseenBiasSlope' | 'unseenBiasClasses'>;

const slopeBeyond = 0.5;

export function unseenBiasFor(
  { unseenBias, unseenBiasSlope, unseenBiasClasses }: BiasDescription,
  competing: number,
): number {
  if (unseenBiasClasses === null || unseenBiasSlope === 0) return unseenBias;
  const distance = Math.log(Math.max(1, competing) / unseenBiasClasses);
  return unseenBias + (distance > 0 ? slopeBeyond : 1) * unseenBiasSlope * distance;
}
