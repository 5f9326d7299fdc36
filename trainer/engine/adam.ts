/**
 * Adam (Kingma & Ba 2014) with decoupled weight decay, in the form in which both bias corrections are folded into
 * the step size and epsilon, so that the update needs no per-element correction:
 *
 *   m <- b1 m + (1 - b1) g        v <- b2 v + (1 - b2) g^2
 *   w <- keep w - rate_t m / (sqrt(v) + epsilon_t)
 *   rate_t = rate sqrt(1 - b2^t) / (1 - b1^t)    epsilon_t = epsilon sqrt(1 - b2^t)    keep = 1 - rate decay
 */
import type { AdamSettings } from './contract.js';

interface AdamStep {
  readonly rate: number;
  readonly epsilon: number;
  readonly keep: number;
}

/** `step` counts from 1. */
export function adamStep(settings: AdamSettings, learningRate: number, step: number): AdamStep {
  const second = Math.sqrt(1 - settings.beta2 ** step);
  return {
    rate: (learningRate * second) / (1 - settings.beta1 ** step),
    epsilon: settings.epsilon * second,
    keep: 1 - learningRate * settings.weightDecay,
  };
}
