/** The settings with which the bundle's head was fitted: a class added at runtime is fitted with the same. */
import type { Manifest } from '../bundle/manifest.js';
import { syntheticMass } from '../head/synthetic-rows.js';

export interface FitSettings extends Pick<
  Manifest['head'],
  'temperature' | 'samplesPerClass' | 'syntheticSeen' | 'residual' | 'prior' | 'realPrior' | 'intercepts'
> {
  readonly seed: number;
  /** Weight of all rows of one synthesised class together, with 1 for all real rows of the bundle. */
  readonly classWeight: number;
  /**
   * L2 weight of a row. It is the one with which the bundle's own rows were fitted, and does not grow with the number of
   * runtime classes as it would in a fit of everything together: that way a class concerns its neighbours only, and
   * accuracy is no less than after such a fit (bench/runtime-parity.ts).
   */
  readonly regularisation: number;
}

export function fitSettingsOf({ head, seed, classes }: Manifest): FitSettings {
  const { temperature, samplesPerClass, syntheticSeen, residual, prior, realPrior, intercepts } = head;
  const seenClasses = classes.filter(({ seen }) => seen).length;
  const classWeight = syntheticMass(head.syntheticWeight, 1, seenClasses);
  const synthesised = classes.filter(({ seen }) => syntheticSeen || !seen).length;
  return {
    seed,
    temperature,
    samplesPerClass,
    syntheticSeen,
    residual,
    prior,
    realPrior,
    intercepts,
    classWeight,
    regularisation: head.regularisation * (1 + classWeight * synthesised),
  };
}
