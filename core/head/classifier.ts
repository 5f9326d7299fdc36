/**
 * From CNN features to named classes with probabilities: feature map, linear softmax head, the bias on unseen classes.
 *   p(c | x) = softmax over c of (h W' + b)_c + bias * share_c        share 1 for an unseen class, less with pictures of it, 0 for a seen one
 */
import type { Bundle } from '../bundle/bundle.js';
import { BoundTensor, Session, type SessionOptions } from '../compute/session.js';
import { matrix, rowOf, type Matrix } from '../matrix.js';
import { Explainer, type Explanation } from './explanation.js';
import { FeatureMapper, headRows } from './feature-map.js';
import { HeadTable } from './head-table.js';
import { Scorer } from './scorer.js';
import { unseenBiasFor } from './unseen-bias.js';

interface Prediction {
  readonly class: string;
  readonly probability: number;
  /** True when training had pictures of the class. */
  readonly seen: boolean;
  /** True when the class was added while serving. */
  readonly runtime: boolean;
}

export interface ClassifyOptions {
  readonly topK: number;
  /** Instead of the bundle's own for as many unseen classes as compete. */
  readonly unseenBias?: number;
  readonly explain?: boolean;
}

export interface Classification {
  readonly predictions: readonly Prediction[];
  readonly explanation?: Explanation;
}

/** What a classifier needs of a bundle; replay and generator stay where classes are fitted. */
export type ServedBundle = Pick<Bundle, 'manifest' | 'featureMap' | 'predictor'>;

export class Classifier {
  private readonly explainer: Explainer;

  private constructor(
    private readonly manifest: Bundle['manifest'],
    readonly table: HeadTable,
    private readonly mapper: FeatureMapper,
    private readonly scorer: Scorer,
    private readonly predictor: Session,
  ) {
    this.explainer = new Explainer(manifest, table);
  }

  static async open(bundle: Bundle, options: SessionOptions = {}): Promise<Classifier> {
    return Classifier.over(bundle, HeadTable.ofBundle(bundle), options);
  }

  static async over(
    { manifest, featureMap, predictor }: ServedBundle,
    table: HeadTable,
    options: SessionOptions = {},
    optionsOfMany = options,
  ): Promise<Classifier> {
    const mapper = await FeatureMapper.open(featureMap, manifest.featureMap.mappedWidth, options);
    const scorer = await Scorer.open(options, optionsOfMany);
    return new Classifier(manifest, table, mapper, scorer, await Session.open(predictor, options));
  }

  /**
   * For each row of features, as the backbone gives them, the likeliest classes, most likely first. `options` are for all
   * rows, or one for each.
   */
  async classify(
    features: Matrix,
    options: ClassifyOptions | readonly ClassifyOptions[],
  ): Promise<Classification[]> {
    const each = (i: number): ClassifyOptions => (isList(options) ? options[i] : options);
    const rows = Array.from({ length: features.rows }, (_, i) => i);
    const mapped = await this.mapper.map(features); // (n, D)
    const read = rows.some((i) => each(i).explain) ? await this.readAttributes(mapped) : null;
    const entering = headRows(mapped, this.manifest.head.temperature);
    const scores = await this.scorer.score(this.table.head, entering); // (n, C)
    const usualBias = unseenBiasFor(this.manifest.head, this.table.unseenCount);
    return rows.map((i) => {
      const { topK, unseenBias = usualBias, explain } = each(i);
      const best = this.best(rowOf(scores, i), topK, unseenBias);
      const predictions = best.map(({ place, probability }) => {
        const { name, seen, runtime } = this.table.classes[place];
        return { class: name, probability, seen, runtime };
      });
      if (!explain || !read) return { predictions };
      const top = best.map(({ place }) => this.table.classes[place]);
      return { predictions, explanation: this.explainer.explain(rowOf(read, i), top) };
    });
  }

  async release(): Promise<void> {
    await this.mapper.release();
    await this.scorer.release();
    await this.predictor.release();
  }

  /** (n, d), encoded */
  private async readAttributes(mapped: Matrix): Promise<Matrix> {
    const width = this.manifest.attributes.length;
    const features = BoundTensor.floats([mapped.rows, mapped.columns], mapped.data);
    const { attributes } = await this.predictor.run({ features });
    return matrix(mapped.rows, width, attributes.data as Float32Array);
  }

  /** Writes over `scores`. Sorting thousands of classes would cost more than scoring them: the few best are picked out. */
  private best(scores: Float32Array, topK: number, unseenBias: number) {
    const { unseenShares, placesByName } = this.table;
    let max = -Infinity;
    for (let c = 0; c < scores.length; c++) {
      if (unseenShares[c] > 0) scores[c] += unseenShares[c] * unseenBias;
      if (scores[c] > max) max = scores[c];
    }
    const places: number[] = []; // best first
    let least = -Infinity; // what a class must exceed to be among them
    let total = 0;
    for (let i = 0; i < placesByName.length; i++) {
      const place = placesByName[i];
      const score = scores[place];
      total += Math.exp(score - max);
      if (score <= least) continue;
      let at = places.length;
      while (at > 0 && scores[places[at - 1]] < score) at -= 1;
      places.splice(at, 0, place);
      if (places.length > topK) places.pop();
      if (places.length === topK) least = scores[places[topK - 1]];
    }
    return places.map((place) => ({ place, probability: Math.exp(scores[place] - max) / total }));
  }
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
