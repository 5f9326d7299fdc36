/**
 * A closed form is fitted once for each feature map and remembered as long as that is (features/remembered-map.ts): the model and the kernel
 * ridge beside it ask for the same one, and with a thousand seen classes a fit takes minutes.
 */
import type { FittedFeatureMap } from '../../core/head/feature-map.js';
import { bytesOf, sha256Of } from '../../core/hash.js';
import { takeRows, type Matrix, type RowSource } from '../../core/matrix.js';
import { inTurns } from '../../core/stop.js';
import { closedFormInSteps, type AttributeOptions, type ClosedForm } from './kernel-ridge.js';

interface ClosedFormProblem {
  readonly features: RowSource; // (rows, D), mapped by the feature map
  readonly labels: Int32Array; // (rows)
  readonly seen: Int32Array; // (S)
  readonly encoded: Matrix; // (C, d), of every class
}

const remembered = new WeakMap<FittedFeatureMap, Map<string, ClosedForm>>();

/** The rows that a feature map was fitted on are those of `features`: the map stands for them. */
export async function closedFormOf(
  featureMap: FittedFeatureMap,
  { features, labels, seen, encoded }: ClosedFormProblem,
  signal: AbortSignal,
  options: AttributeOptions,
): Promise<ClosedForm> {
  const forms = remembered.get(featureMap) ?? new Map<string, ClosedForm>();
  remembered.set(featureMap, forms);
  const { weighting, deviations } = options;
  const settings = JSON.stringify([weighting, deviations && Array.from(deviations)]);
  const key = sha256Of(settings, bytesOf(labels), bytesOf(seen), bytesOf(takeRows(encoded, seen).data));
  const found =
    forms.get(key) ?? (await inTurns(closedFormInSteps(features, labels, seen, encoded, options), signal));
  forms.set(key, found);
  return found;
}
