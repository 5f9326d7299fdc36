import { mean } from '../../core/mean.js';

interface Spread {
  readonly mean: number;
  /** Sample standard deviation; 0 for one value. */
  readonly deviation: number;
}

export function spread(values: readonly number[]): Spread {
  const center = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return { mean: center, deviation: values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0 };
}
