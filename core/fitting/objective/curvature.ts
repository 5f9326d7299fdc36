/**
 * Products with the Hessian of the problem in fit-problem.ts at one head, where row i has the probabilities p_ik. For a change v, a of the head
 * (v (K, D), a (K) of the biases), with t_ik = v_k . h_i + a_k:
 *
 *   (H v)_k = sum_i w_i p_ik (t_ik - sum_j p_ij t_ij) h_i + regularisation v_k
 *
 * A product costs what an evaluation does, without its exponentials.
 */
import type { MatrixProducts } from '../../compute/matrix-products.js';
import type { FitProblem } from './fit-problem.js';
import type { HeadGradient } from './objective.js';
import { RowScores } from './row-scores.js';
import { ScoreGradients } from './score-gradients.js';

/** Rows on which the classes have less than this probability, all together, have no part in the curvature. */
const minProbability = 1e-6;

export class Curvature {
  private readonly changes: RowScores;
  private readonly scoreGradients: ScoreGradients;
  private readonly isFlat: Uint8Array; // (n)

  constructor(
    products: MatrixProducts,
    private readonly problem: FitProblem,
    private readonly probabilities: Float32Array, // (n, K)
  ) {
    const { rows, prior } = problem;
    const classes = prior.rows;
    this.changes = new RowScores(products, rows, classes);
    this.scoreGradients = new ScoreGradients(products, rows, classes);
    this.isFlat = new Uint8Array(rows.label.length);
    for (let row = 0; row < rows.label.length; row++) {
      let sum = 0;
      for (let k = 0; k < classes; k++) sum += probabilities[row * classes + k];
      this.isFlat[row] = sum < minProbability ? 1 : 0;
    }
  }

  async times({ weights, bias }: HeadGradient): Promise<HeadGradient> {
    const { problem, probabilities, changes, scoreGradients, isFlat } = this;
    const { rows, regularisation, intercepts } = problem;
    const { scores } = changes;
    const classes = scores.length;
    const ofBias = new Float64Array(classes);
    await changes.compute(weights);
    scoreGradients.clear();
    changes.forEachRow(
      bias,
      (row) => {
        const at = row * classes;
        let mean = 0;
        for (let k = 0; k < classes; k++) mean += probabilities[at + k] * scores[k];
        const weight = rows.weight[row];
        for (let k = 0; k < classes; k++) {
          scores[k] = weight * probabilities[at + k] * (scores[k] - mean);
          ofBias[k] += scores[k];
        }
      },
      scoreGradients,
      isFlat,
    );
    const product = await scoreGradients.weightGradient();
    for (let j = 0; j < product.data.length; j++) product.data[j] += regularisation * weights.data[j];
    if (!intercepts) ofBias.fill(0);
    return { weights: product, bias: ofBias };
  }
}
