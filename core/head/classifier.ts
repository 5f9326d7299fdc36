/**
 * From CNN features to named classes with probabilities: feature map, linear softmax head, the bias on unseen classes, and how sure it is.
 *   p(c | x) = softmax over c of sharpness * ((h W' + b)_c + bias * share_c)    share 1 for an unseen class, less with pictures of it, 0 for a seen one
 * The sharpness makes probabilities frequencies (sharpness.ts); it changes no order.
 */
import type { Bundle } from '../bundle/bundle.js';
import type { SessionOptions } from '../compute/session.js';
import { rowOf, takeRows, type Matrix } from '../matrix.js';
import { Competitions, type Competition, type MayAnswer } from './competition.js';
import { Explainer, type Explanation } from './explanation.js';
import { FeatureMapper, headRows } from './feature-map.js';
import { HeadTable } from './head-table.js';
import { likeliestCount, NoveltyDetector } from './novelty/detector.js';
import type { Observed } from './novelty/geometry.js';
import { PictureReadings } from './picture-readings.js';
import { Scorer } from './scorer.js';
import { uncalibrated } from './sharpness.js';
import { Ranking, type RankedClass, type RollUp } from './ranking.js';
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

/** A class that was asked about by name, likely or not. */
interface Score extends Prediction {
  /** 1: the likeliest of those that may answer. */
  readonly rank: number;
}

export interface ClassificationOptions {
  readonly topK: number;
  /** Those that may answer, over which the probabilities are; all when left out. */
  readonly mayAnswer?: MayAnswer;
  /** What is less likely is left out of predictions and groups. */
  readonly minProbability?: number;
  /** Classes whose probability is answered in any case. */
  readonly scoresOf?: readonly string[];
  /** A family of groups, over each of which probabilities are summed. */
  readonly groupBy?: string;
  /** Instead of the bundle's own for as many unseen classes as compete. */
  readonly unseenBias?: number;
  readonly explain?: boolean;
  /** The novelty from which a picture is called unknown. */
  readonly unknownAt?: number;
}

export interface Classification {
  readonly predictions: readonly Prediction[];
  /** In the order in which they were asked for, those of them that may answer. */
  readonly scores?: readonly Score[];
  readonly rollUp?: RollUp;
  /** Whether probabilities are frequencies, as measured on validation classes with the bundle's own bias on unseen classes. */
  readonly calibrated: boolean;
  /** The share of pictures of known classes that look less new; null where the bundle was not measured for it. */
  readonly novelty: number | null;
  readonly verdict: Verdict | null;
  readonly explanation?: Explanation;
}

/** What a classifier needs of a bundle; replay and generator stay where classes are fitted. */
export type ServedBundle = Pick<Bundle, 'manifest' | 'featureMap' | 'predictor' | 'novelty'> & {
  /** Real rows, from which the reading of attributes is learnt; without them the predictor reads. */
  readonly replay?: Bundle['replay'] | undefined;
};

interface RankedRow {
  readonly ranking: Ranking;
  /** Whether unseen classes got the bias with which the bundle was calibrated. */
  readonly isUsualBias: boolean;
}

export class Classifier {
  private readonly explainer: Explainer;
  private readonly competitions: Competitions;

  private constructor(
    private readonly manifest: Bundle['manifest'],
    readonly table: HeadTable,
    private readonly mapper: FeatureMapper,
    private readonly scorer: Scorer,
    private readonly readings: PictureReadings,
    private readonly detector: NoveltyDetector | null,
  ) {
    this.explainer = new Explainer(manifest, table);
    this.competitions = new Competitions(table);
  }

  static async open(bundle: Bundle, options: SessionOptions = {}): Promise<Classifier> {
    return Classifier.over(bundle, HeadTable.ofBundle(bundle), options);
  }

  static async over(
    bundle: ServedBundle,
    table: HeadTable,
    options: SessionOptions = {},
    optionsOfMany = options,
  ): Promise<Classifier> {
    const { manifest, featureMap } = bundle;
    const mapper = await FeatureMapper.open(featureMap, manifest.featureMap.mappedWidth, options);
    const scorer = await Scorer.open(options, optionsOfMany);
    const detector = await NoveltyDetector.open(bundle, table, options);
    const readings = new PictureReadings(bundle, options);
    return new Classifier(manifest, table, mapper, scorer, readings, detector);
  }

  /**
   * For each row of features, as the backbone gives them, the likeliest classes, most likely first. `options` are for all
   * rows, or one for each.
   */
  async classify(
    features: Matrix,
    options: ClassificationOptions | readonly ClassificationOptions[],
  ): Promise<Classification[]> {
    const each = (i: number): ClassificationOptions => (isList(options) ? options[i] : options);
    const rows = Array.from({ length: features.rows }, (_, i) => i);
    const mapped = await this.mapper.map(features); // (n, D)
    const read = rows.some((i) => each(i).explain) ? await this.readings.read(mapped) : null;
    const observed = this.detector && (await this.detector.observe(mapped)); // before rows are scaled for the head
    const entering = headRows(mapped, this.manifest.head.temperature);
    const rankings = await this.rankings(entering, rows.map(each));
    return rows.map((i) => {
      const { topK, minProbability = 0, scoresOf, groupBy, explain, unknownAt = usualUnknownAt } = each(i);
      const { ranking, isUsualBias } = rankings[i];
      const likeliest = ranking.best(Math.max(topK, likeliestCount));
      const best = likeliest.slice(0, topK).filter(({ probability }) => probability >= minProbability);
      const novelty = observed && likeliest.length > 0 ? this.novelty(observed, i, ranking, likeliest) : null;
      const rollUp = groupBy === undefined ? undefined : ranking.rollUp(groupBy, this.table.groups.values());
      return {
        predictions: best.map((one) => this.prediction(one)),
        calibrated: this.manifest.confidence !== null && isUsualBias,
        novelty,
        verdict: novelty === null ? null : verdictOf(novelty, likeliest[0].probability, unknownAt),
        ...(scoresOf && { scores: scoresOf.flatMap((name) => this.score(ranking, name) ?? []) }),
        ...(rollUp && { rollUp: shownGroups(rollUp, topK, minProbability) }),
        ...(explain &&
          read && {
            explanation: this.explainer.explain(
              read[i],
              best.map(({ place }) => this.table.classes[place]),
            ),
          }),
      };
    });
  }

  async release(): Promise<void> {
    await this.mapper.release();
    await this.scorer.release();
    await this.readings.release();
    await this.detector?.release();
  }

  /** How the classes rank on each row. Rows for which the same classes may answer are scored together. */
  private async rankings(
    rows: Matrix, // (n, D), as they enter the head
    options: readonly ClassificationOptions[],
  ): Promise<RankedRow[]> {
    const byCompetition = new Map<Competition, number[]>();
    options.forEach(({ mayAnswer }, i) => {
      const competition = this.competitions.of(mayAnswer);
      byCompetition.set(competition, [...(byCompetition.get(competition) ?? []), i]);
    });
    const calibration = this.manifest.confidence ?? uncalibrated;
    const rankings: RankedRow[] = [];
    for (const [competition, members] of byCompetition) {
      const { places, head, unseenCount } = competition;
      const entering = members.length === rows.rows ? rows : takeRows(rows, members);
      const scores = await this.scorer.score(head ?? this.table.head, entering);
      const usualBias = unseenBiasFor(this.manifest.head, unseenCount);
      members.forEach((i, m) => {
        const { unseenBias = usualBias } = options[i];
        const competing = this.competing(rowOf(scores, m), competition, unseenBias); // (k)
        rankings[i] = {
          ranking: new Ranking(competing, places, this.table, calibration),
          isUsualBias: unseenBias === usualBias,
        };
      });
    }
    return rankings;
  }

  /** Scores in the order of places, with the bias on unseen classes. */
  private competing(scores: Float32Array, { places, head }: Competition, unseenBias: number): Float32Array {
    const { unseenShares } = this.table;
    const competing = new Float32Array(places.length);
    for (let j = 0; j < places.length; j++) {
      competing[j] = scores[head ? j : places[j]];
      if (unseenShares[places[j]] > 0) competing[j] += unseenShares[places[j]] * unseenBias;
    }
    return competing;
  }

  private novelty(
    observed: Observed,
    row: number,
    { bestScore, entropy, unseenProbability }: Ranking,
    likeliest: readonly RankedClass[],
  ): number {
    const places = likeliest.map(({ place }) => place);
    return this.detector!.novelty(observed, row, {
      bestScore,
      entropy,
      unseenProbability,
      likeliest: places,
    });
  }

  private prediction({ place, probability }: RankedClass): Prediction {
    const { name, seen, runtime } = this.table.classes[place];
    return { class: name, probability, seen, runtime };
  }

  private score(ranking: Ranking, name: string): Score | undefined {
    const found = ranking.of(name);
    return found && { ...this.prediction(found), rank: found.rank };
  }
}

function shownGroups({ groups, ...rest }: RollUp, topK: number, minProbability: number): RollUp {
  const shown = groups.filter(({ probability }) => probability >= minProbability).slice(0, topK);
  return { ...rest, groups: shown };
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
