import type { Bundle } from '../bundle/bundle.js';
import { BoundTensor, Session, type SessionOptions } from '../compute/session.js';
import { matrix, rowOf, type Matrix } from '../matrix.js';
import type { Random } from '../random.js';
import type { DrawSource } from './synthetic-rows.js';

/** Rows in one run of the generator. */
const rowsPerRun = 256;

/** Draws mapped features from the generator of a bundle. */
export class Generator implements DrawSource {
  private constructor(
    private readonly session: Session,
    private readonly noiseWidth: number,
    private readonly width: number,
  ) {}

  static async open({ generator, manifest }: Bundle, options: SessionOptions = {}): Promise<Generator> {
    const { head, featureMap } = manifest;
    return new Generator(await Session.open(generator, options), head.noiseWidth, featureMap.mappedWidth);
  }

  async draw(
    attributes: Matrix, // (C, d), encoded
    classes: ArrayLike<number>,
    count: number,
    random: Random,
    target = matrix(classes.length * count, this.width),
  ): Promise<Matrix> {
    for (let start = 0; start < target.rows; start += rowsPerRun) {
      const rows = Math.min(rowsPerRun, target.rows - start);
      const batch = matrix(rows, attributes.columns);
      for (let i = 0; i < rows; i++)
        rowOf(batch, i).set(rowOf(attributes, classes[Math.floor((start + i) / count)]));
      const noise = random.fillNormal(new Float32Array(rows * this.noiseWidth));
      const room = target.data.subarray(start * this.width, (start + rows) * this.width);
      await this.session.run(
        {
          attributes: BoundTensor.floats([rows, attributes.columns], batch.data),
          noise: BoundTensor.floats([rows, this.noiseWidth], noise),
        },
        { features: BoundTensor.floats([rows, this.width], room) },
      );
    }
    return target;
  }

  release(): Promise<void> {
    return this.session.release();
  }
}
