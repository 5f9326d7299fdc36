/**
 * From CNN features to named classes with probabilities: feature map, linear softmax head, the bias on unseen classes, and how sure it is.
 *   p(c | x) = softmax over c of sharpness * ((h W' + b)_c + bias * share_c)    share 1 for an unseen class, less with pictures of it, 0 for a seen one
 * The sharpness makes probabilities frequencies (trainer/confidence/); it changes no order.
 */
import type { Bundle } from '../bundle/bundle.js';
import { BoundTensor, Session, type SessionOptions } from '../compute/session.js';
import { matrix, rowOf, type Matrix } from '../matrix.js';
import { Explainer, type Explanation } from './explanation.js';
import { FeatureMapper, headRows } from './feature-map.js';
import { HeadTable } from './head-table.js';
import { likeliestCount, NoveltyDetector } from './novelty/detector.js';
import { Scorer } from './scorer.js';
import { unseenBiasFor } from './unseen-bias.js';
import { usualUnknownAt, verdictOf, type Verdict } from './verdict.js';

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
  /** The novelty from which a picture is called unknown. */
  readonly unknownAt?: number;
}

export interface Classification {
  readonly predictions: readonly Prediction[];
  /** Whether probabilities are frequencies, as measured on validation classes. */
  readonly calibrated: boolean;
  /** The share of pictures of known classes that look less new; null where the bundle was not measured for it. */
  readonly novelty: number | null;
  readonly verdict: Verdict | null;
  readonly explanation?: Explanation;
}

/** What a classifier needs of a bundle; replay and generator stay where classes are fitted. */
export type ServedBundle = Pick<Bundle, 'manifest' | 'featureMap' | 'predictor' | 'novelty'>;

export class Classifier {
  private readonly explainer: Explainer;

  private constructor(
    private readonly manifest: Bundle['manifest'],
    readonly table: HeadTable,
    private readonly mapper: FeatureMapper,
    private readonly scorer: Scorer,
    private readonly predictor: Session,
    private readonly detector: NoveltyDetector | null,
  ) {
    this.explainer = new Explainer(manifest, table);
  }

  static async open(bundle: Bundle, options: SessionOptions = {}): Promise<Classifier> {
    return Classifier.over(bundle, HeadTable.ofBundle(bundle), options);
  }

  static async over(
    { manifest, featureMap, predictor, novelty }: ServedBundle,
    table: HeadTable,
    options: SessionOptions = {},
    optionsOfMany = options,
  ): Promise<Classifier> {
    const mapper = await FeatureMapper.open(featureMap, manifest.featureMap.mappedWidth, options);
    const scorer = await Scorer.open(options, optionsOfMany);
    const detector = await NoveltyDetector.open({ manifest, novelty }, table, options);
    return new Classifier(manifest, table, mapper, scorer, await Session.open(predictor, options), detector);
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
    const observed = this.detector && (await this.detector.observe(mapped)); // before rows are scaled for the head
    const entering = headRows(mapped, this.manifest.head.temperature);
    const scores = await this.scorer.score(this.table.head, entering); // (n, C)
    const usualBias = unseenBiasFor(this.manifest.head, this.table.unseenCount);
    return rows.map((i) => {
      const { topK, unseenBias = usualBias, explain, unknownAt = usualUnknownAt } = each(i);
      const { best, ...scored } = this.best(rowOf(scores, i), topK, unseenBias);
      const predictions = best.map(({ place, probability }) => {
        const { name, seen, runtime } = this.table.classes[place];
        return { class: name, probability, seen, runtime };
      });
      const novelty = observed && this.detector.novelty(observed, i, scored);
      const answer = {
        predictions,
        calibrated: this.manifest.confidence !== null,
        novelty,
        verdict: novelty === null ? null : verdictOf(novelty, predictions[0].probability, unknownAt),
      };
      if (!explain || !read) return answer;
      const top = best.map(({ place }) => this.table.classes[place]);
      return { ...answer, explanation: this.explainer.explain(rowOf(read, i), top) };
    });
  }

  async release(): Promise<void> {
    await this.mapper.release();
    await this.scorer.release();
    await this.predictor.release();
    await this.detector?.release();
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
    const sharpness = this.manifest.confidence?.sharpness ?? 1;
    const wanted = Math.max(topK, likeliestCount);
    let max = -Infinity;
    for (let c = 0; c < scores.length; c++) {
      if (unseenShares[c] > 0) scores[c] += unseenShares[c] * unseenBias;
      if (scores[c] > max) max = scores[c];
    }
    const places: number[] = []; // best first
    let least = -Infinity; // what a class must exceed to be among them
    let total = 0;
    let weighted = 0; // sum of differences from the best score, by probability
    for (let i = 0; i < placesByName.length; i++) {
      const place = placesByName[i];
      const score = scores[place];
      const difference = sharpness * (score - max);
      const part = Math.exp(difference);
      total += part;
      if (part > 0) weighted += part * difference;
      if (score <= least) continue;
      let at = places.length;
      while (at > 0 && scores[places[at - 1]] < score) at -= 1;
      places.splice(at, 0, place);
      if (places.length > wanted) places.pop();
      if (places.length === wanted) least = scores[places[wanted - 1]];
    }
    return {
      best: places.slice(0, topK).map((place) => ({
        place,
        probability: Math.exp(sharpness * (scores[place] - max)) / total,
      })),
      likeliest: places,
      bestScore: sharpness * max,
      entropy: Math.log(total) - weighted / total,
    };
  }
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
