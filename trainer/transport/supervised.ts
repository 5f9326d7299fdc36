/**
 * The supervised transition (equation 9): mass moves only between rows of one class.
 *
 * The paper prints 1 / (#n #m) for rows of one class, and calls it a valid plan. It is not: its rows sum to 1 / n_c and
 * its whole mass is the number of shared classes, so that a supervised step would outweigh a transport step many times.
 * `normalised` is 1 / (N m_c): row sums are 1/N, and column sums 1/M whenever the generated batch carries the labels of
 * the real one. `paper` keeps the printed form.
 */
import { matrix, type Matrix } from '../../core/matrix.js';

export const supervisedForms = ['normalised', 'paper'] as const;
type SupervisedForm = (typeof supervisedForms)[number];

export function supervisedPlan(
  real: ArrayLike<number>,
  generated: ArrayLike<number>,
  form: SupervisedForm,
): Matrix {
  const realCounts = countClasses(real);
  const generatedCounts = countClasses(generated);
  const plan = matrix(real.length, generated.length); // (N, M)
  for (let n = 0; n < real.length; n++) {
    const share = form === 'paper' ? 1 / realCounts.get(real[n])! : 1 / real.length;
    for (let m = 0; m < generated.length; m++) {
      if (real[n] === generated[m])
        plan.data[n * plan.columns + m] = share / generatedCounts.get(generated[m])!;
    }
  }
  return plan;
}

function countClasses(labels: ArrayLike<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (let i = 0; i < labels.length; i++) counts.set(labels[i], (counts.get(labels[i]) ?? 0) + 1);
  return counts;
}
