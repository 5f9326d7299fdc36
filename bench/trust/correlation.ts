/** How well figures expected of classes agree with what these reach, and how far chance alone may move that over so few classes. */
import { mean } from '../../core/mean.js';
import { Random } from '../../core/random.js';
import { quantile } from '../quantiles.js';

const resamples = 2000;

export function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  const product = (x: readonly number[], mx: number, y: readonly number[], my: number): number =>
    x.reduce((sum, value, i) => sum + (value - mx) * (y[i] - my), 0);
  return product(a, meanA, b, meanB) / Math.sqrt(product(a, meanA, a, meanA) * product(b, meanB, b, meanB));
}

/** Percentile bootstrap over the pairs: in 95 % of resamples the correlation lies between the two. */
export function correlationInterval(
  a: readonly number[],
  b: readonly number[],
  random: Random,
): readonly [number, number] {
  const drawn = Array.from({ length: resamples }, () => {
    const picked = a.map(() => random.integer(a.length));
    return correlation(
      picked.map((i) => a[i]),
      picked.map((i) => b[i]),
    );
  }).filter(Number.isFinite); // a resample of one class, repeated, has none
  return [quantile(drawn, 0.025), quantile(drawn, 0.975)];
}
