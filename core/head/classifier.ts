/**
 * From CNN features to named classes with probabilities: feature map, linear softmax head, the bias on unseen classes.
 *   p(c | x) = softmax over c of (h W' + b)_c + bias [c unseen]
 */
import type { Bundle } from '../bundle/bundle.js';
import type { SessionOptions } from '../compute/session.js';
import { rowOf, type Matrix } from '../matrix.js';
import { directRows, FeatureMapper } from './feature-map.js';
import { Scorer } from './scorer.js';

export interface Prediction {
  readonly class: string;
  readonly probability: number;
  readonly seen: boolean;
}

export interface ClassifyOptions {
  readonly topK: number;
  /** Instead of the bundle's own, which validation classes chose. */
  readonly unseenBias?: number;
}

export class Classifier {
  private constructor(
    private readonly bundle: Bundle,
    private readonly mapper: FeatureMapper,
    private readonly scorer: Scorer,
  ) {}

  static async open(bundle: Bundle, options: SessionOptions = {}): Promise<Classifier> {
    const mapper = await FeatureMapper.open(
      bundle.featureMap,
      bundle.manifest.featureMap.mappedWidth,
      options,
    );
    return new Classifier(bundle, mapper, await Scorer.open(options));
  }

  /** For each row of features, as the backbone gives them, the likeliest classes, most likely first. */
  async classify(features: Matrix, options: ClassifyOptions): Promise<Prediction[][]> {
    const { manifest, weights, bias } = this.bundle;
    const directed = directRows(await this.mapper.map(features), manifest.head.temperature);
    const scores = await this.scorer.score({ weights, bias }, directed); // (n, C)
    const unseenBias = options.unseenBias ?? manifest.head.unseenBias;
    return Array.from({ length: features.rows }, (_, i) => {
      const row = rowOf(scores, i);
      manifest.classes.forEach(({ seen }, c) => {
        if (!seen) row[c] += unseenBias;
      });
      return this.best(probabilities(row), options.topK);
    });
  }

  async release(): Promise<void> {
    await this.mapper.release();
    await this.scorer.release();
  }

  private best(likelihood: Float64Array, topK: number): Prediction[] {
    const { classes } = this.bundle.manifest;
    return Array.from(likelihood.keys())
      .sort((a, b) => likelihood[b] - likelihood[a])
      .slice(0, topK)
      .map((c) => ({ class: classes[c].name, probability: likelihood[c], seen: classes[c].seen }));
  }
}

function probabilities(scores: Float32Array): Float64Array {
  const most = scores.reduce((top, score) => Math.max(top, score), -Infinity);
  const weights = Float64Array.from(scores, (score) => Math.exp(score - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}
