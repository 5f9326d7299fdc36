import { matrix, rowOf, type Matrix } from '../../core/matrix.js';
import type { Random } from '../../core/random.js';
import type { Engine, Evaluator } from '../engine/contract.js';
import { generate, generatorShapes } from './networks.js';
import type { TrainedNetworks } from './train.js';

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
      parameters: generatorShapes(sizes),
      build: (ops, inputs, weights) => ({
        features: generate(ops, weights, sizes, inputs.attributes, inputs.noise),
      }),
    });
    return new Synthesiser(networks, evaluator);
  }

  /** `count` rows for each class in turn: row c * count + i is the i-th of the c-th class. */
  draw(attributes: Matrix, classes: ArrayLike<number>, count: number, random: Random): Promise<Matrix> {
    const labels = Int32Array.from(
      { length: classes.length * count },
      (_, i) => classes[Math.floor(i / count)],
    );
    return this.drawWith(
      attributes,
      labels,
      random.fillNormal(new Float32Array(labels.length * this.noiseWidth)),
    );
  }

  /** One row for each label, from the noise given. */
  async drawWith(attributes: Matrix, labels: Int32Array, noise: Float32Array): Promise<Matrix> {
    const { sizes, weights } = this.networks;
    const drawn = matrix(labels.length, sizes.features);
    const batch = new Float32Array(rowsPerRun * sizes.attributes);
    const batchNoise = new Float32Array(rowsPerRun * sizes.noise);
    for (let start = 0; start < drawn.rows; start += rowsPerRun) {
      const rows = Math.min(rowsPerRun, drawn.rows - start);
      for (let i = 0; i < rows; i++) batch.set(rowOf(attributes, labels[start + i]), i * sizes.attributes);
      batchNoise.set(noise.subarray(start * sizes.noise, (start + rows) * sizes.noise));
      const { features } = await this.evaluator.run({ attributes: batch, noise: batchNoise }, weights);
      drawn.data.set(features.subarray(0, rows * sizes.features), start * sizes.features);
    }
    return drawn;
  }

  private get noiseWidth(): number {
    return this.networks.sizes.noise;
  }

  release(): Promise<void> {
    return this.evaluator.release();
  }
}
