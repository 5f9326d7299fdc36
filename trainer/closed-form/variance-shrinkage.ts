/**
 * Attributes are standardised by how far they vary over the seen classes. With few classes that is an estimate: an attribute that few of them
 * have may hardly vary among them by chance, and standardising then makes it count far too much for a class that has it. So
 * the logarithms of the variances are moved toward their mean, by empirical Bayes:
 *
 *   log t_k = log v_k + a (mean log v - log v_k)        a = sampling / ((S - 1) var(log v)), at most 1/2
 *
 * S seen classes, v_k the variance of attribute k. Where attributes have units of their own, their variances differ by far more than
 * chance explains, and a is next to nothing; with many classes it is, too.
 */
import { mean } from '../../core/mean.js';

/** The variance of log v_k, times S - 1: 2 for normal values, several times as much for attributes that most classes do not have. */
const sampling = 12;
const largestShare = 0.5;

/** v_k / t_k (d): by how much the square of a standardised attribute is to count; 1 where v_k is 0. */
export function varianceFactors(deviations: ArrayLike<number>, seenClasses: number): Float64Array {
  const logs = Float64Array.from(deviations, (value) => 2 * Math.log(value));
  const varying = logs.filter(Number.isFinite);
  const center = mean(varying);
  const spread = mean(varying.map((value) => (value - center) ** 2));
  if (seenClasses < 2 || !(spread > 0)) return logs.fill(1);
  const share = Math.min(largestShare, sampling / (seenClasses - 1) / spread);
  return logs.map((value) => (Number.isFinite(value) ? Math.exp(share * (value - center)) : 1));
}
