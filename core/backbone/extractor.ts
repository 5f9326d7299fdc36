/**
 * Runs a backbone over batches of prepared pictures. Callers should use few batch sizes and pad smaller batches: ONNX
 * Runtime's memory grows with every new input shape.
 */
import { Failure } from '../failures.js';
import { matrix, type Matrix } from '../matrix.js';
import { BoundTensor, Session, type Provider, type SessionOptions } from '../compute/session.js';
import type { Backbone } from './backbone.js';
import type { BackboneEntry } from './catalogue.js';
import { pictureSize, type Preprocessing } from './picture-tensor.js';

export interface ExtractorOptions extends SessionOptions {
  /** Pictures per run. */
  readonly batchSize?: number;
}

export const defaultBatchSize = 16;

/** What a pipeline knows of inference: the extractor itself, or one in a thread of its own. */
export interface FeatureSource {
  readonly batchSize: number;
  readonly featureWidth: number;
  readonly provider: Provider;
  /** `batch` holds `count` pictures and may be larger. The source may take ownership of it (see takeBuffer). */
  features(batch: Float32Array<ArrayBuffer>, count: number): Promise<Matrix>; // (count, featureWidth)
  /** The memory of a batch that the source owns and no longer needs, for reuse. */
  takeBuffer?(): Float32Array<ArrayBuffer> | undefined;
  close(): Promise<void>;
}

export class Extractor implements FeatureSource {
  private constructor(
    private readonly session: Session,
    private readonly preprocessing: Preprocessing,
    readonly featureWidth: number,
    readonly batchSize: number,
    private readonly fixed: boolean,
  ) {}

  static async open(backbone: Backbone, options: ExtractorOptions = {}): Promise<Extractor> {
    const { entry, model } = backbone;
    return Extractor.over(await Session.open(model, options), entry, options.batchSize);
  }

  static over(session: Session, entry: BackboneEntry, batchSize = defaultBatchSize): Extractor {
    const { preprocessing, featureWidth, fixedBatch } = entry;
    return new Extractor(session, preprocessing, featureWidth, fixedBatch ?? batchSize, fixedBatch !== null);
  }

  get provider(): Provider {
    return this.session.provider;
  }

  async features(batch: Float32Array, count = this.batchSize): Promise<Matrix> {
    const { batchSize, featureWidth, preprocessing } = this;
    const { width, height, layout } = preprocessing;
    const room = batch.length / pictureSize(preprocessing);
    if (!Number.isInteger(room) || count > room || (this.fixed && room !== batchSize))
      throw new RangeError(`a batch must have room for ${this.fixed ? batchSize : count} whole pictures`);
    const shape = layout === 'nchw' ? [room, 3, height, width] : [room, height, width, 3];
    const answers = await this.session.run({
      [this.session.inputNames[0]]: BoundTensor.floats(shape, batch),
    });
    const features = answers[this.session.outputNames[0]];
    if (features.shape[1] !== featureWidth)
      throw new Failure(
        'backbone-invalid',
        `The backbone gives ${features.shape[1]} features per picture, not ${featureWidth} as its entry says.`,
      );
    const data = (features.data as Float32Array).slice(0, count * featureWidth);
    return matrix(count, featureWidth, data);
  }

  async close(): Promise<void> {
    await this.session.release();
  }
}
