import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import type { Random } from '../../core/random.js';
import type { Engine, Evaluator } from '../engine/contract.js';
import { closedFormShapes, generate, generatorShapes, type TrainedNetworks } from './networks.js';

/** Rows in one run of the generator; a fixed number, so that one graph serves every call. */
const rowsPerRun = 256;

/** Draws features from a trained generator. */
export class Synthesiser {
  private constructor(
    private readonly networks: TrainedNetworks,
    private readonly evaluator: Evaluator,
  ) {}

  static async open(engine: Engine, networks: TrainedNetworks): Promise<Synthesiser> {
    const { sizes } = networks;
    const evaluator = await engine.evaluator({
      name: 'generator',
      inputs: { attributes: [rowsPerRun, sizes.attributes], noise: [rowsPerRun, sizes.noise] },
      parameters: { ...generatorShapes(sizes), ...closedFormShapes(sizes) },
      build: (ops, inputs, weights) => ({
        features: generate(ops, weights, sizes, inputs.attributes, inputs.noise),
      }),
    });
    return new Synthesiser(networks, evaluator);
  }

  /**
   * `count` rows for each class in turn: row c * count + i is the i-th of the c-th class. They are written into `target`, which
   * has exactly that size: a head over many classes has no memory to spare for a second copy.
   */
  async draw(
    attributes: Matrix,
    classes: ArrayLike<number>,
    count: number,
    random: Random,
    target = matrix(classes.length * count, this.networks.sizes.features),
  ): Promise<Matrix> {
    const noise = new Float32Array(rowsPerRun * this.noiseWidth);
    for (let start = 0; start < target.rows; start += rowsPerRun) {
      const rows = Math.min(rowsPerRun, target.rows - start);
      const labels = Int32Array.from({ length: rows }, (_, i) => classes[Math.floor((start + i) / count)]);
      const drawn = random.fillNormal(noise.subarray(0, rows * this.noiseWidth));
      target.data.set((await this.drawWith(attributes, labels, drawn)).data, start * target.columns);
    }
    return target;
  }

  /** One row for each label, from the noise given; at most `rowsPerRun`. */
  async drawWith(attributes: Matrix, labels: Int32Array, noise: Float32Array): Promise<Matrix> {
    const { sizes, weights } = this.networks;
    const batch = new Float32Array(rowsPerRun * sizes.attributes);
    const batchNoise = new Float32Array(rowsPerRun * sizes.noise);
    labels.forEach((label, i) => {
      batch.set(rowOf(attributes, label), i * sizes.attributes);
    });
    batchNoise.set(noise);
    const { features } = await this.evaluator.run({ attributes: batch, noise: batchNoise }, weights);
    return matrix(labels.length, sizes.features, features.subarray(0, labels.length * sizes.features));
  }

  private get noiseWidth(): number {
    return this.networks.sizes.noise;
  }

  release(): Promise<void> {
    return this.evaluator.release();
  }
}
