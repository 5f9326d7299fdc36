import type { ParameterValues, TrainingState } from './contract.js';

/** The state before the first step: the weights given, and moments of zero. */
export function freshState(parameters: ParameterValues): TrainingState {
  const zeros = (): ParameterValues => mapValues(parameters, (values) => new Float32Array(values.length));
  return { step: 0, parameters, firstMoments: zeros(), secondMoments: zeros() };
}

export function mapValues<A, B>(record: Readonly<Record<string, A>>, change: (value: A, key: string) => B) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
