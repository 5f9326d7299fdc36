import type { Manifest } from '../bundle/manifest.js';
import type { AdaptationSettings } from './adaptation.js';

/** Chosen on validation classes of two datasets, in pools of seven mixes: docs/experiments.md. For bundles that do not have their own. */
export const usualAdaptation: AdaptationSettings = {
  epsilon: 0.03,
  rho: 0.03,
  rounds: 6,
  guard: 1,
  mistakes: 1.4,
  caution: 1.43,
  relief: 0.86,
  strength: 1,
  offset: 0,
};

/** With what was chosen for the bundle on its validation classes. Classes are held to equal masses as firmly as the assignment is soft. */
export function adaptationSettingsOf({ head }: Pick<Manifest, 'head'>): AdaptationSettings {
  if (!head.assignment) return usualAdaptation;
  const { epsilon, mistakes, strength, offset } = head.assignment;
  return { ...usualAdaptation, epsilon, rho: epsilon, mistakes, strength, offset };
}
