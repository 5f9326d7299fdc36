/**
 * A bundle with the dataset that judges it: how much H gains from a pool, product against product without one, and how much it would gain if it
 * was known what every picture of the pool shows.
 */
import { classMean, harmonicMean } from '../../core/accuracy.js';
import type { Adaptation, AdaptationSettings } from '../../core/adaptation/adaptation.js';
import { adaptationSettingsOf } from '../../core/adaptation/adaptation-settings.js';
import { movedClasses } from '../../core/adaptation/moved-classes.js';
import type { Bundle } from '../../core/bundle/bundle.js';
import { RuntimeFitter } from '../../core/fitting/fitter.js';
import type { RuntimeClass } from '../../core/fitting/runtime-class.js';
import { servingBiases } from '../../core/fitting/serving-bias.js';
import { directRows, FeatureMapper, headRows } from '../../core/head/feature-map.js';
import { appendHeadRows } from '../../core/head/head-rows.js';
import { Scorer } from '../../core/head/scorer.js';
import { rowOf, takeRows, type Matrix } from '../../core/matrix.js';
import { meanOfRows } from '../../core/mean.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { poolSplit, type MixedPool } from './pools.js';

export interface AdaptationTrial {
  readonly mix: string;
  readonly pictures: number;
  readonly method: string;
  readonly gain: number; // points of H
  /** The share of the pool that is of unseen classes, in truth; `adaptation` has the estimate. */
  readonly unseenShare: number;
  readonly adaptation: Adaptation;
  /** The gain if the bias on unseen classes followed that estimate, by each of `shareStrengths`. */
  readonly gainsByShare: readonly number[];
}

/** By how much of the log-odds of the estimated share of unseen pictures the bias is shifted, in logits. */
export const shareStrengths = [0.25, 0.5, 1];

export class AdaptationJudge {
  private readonly position: ReadonlyMap<string, number>;

  private constructor(
    private readonly bundle: Bundle,
    private readonly dataset: Dataset,
    private readonly parts: { mapper: FeatureMapper; scorer: Scorer; fitter: RuntimeFitter },
  ) {
    this.position = new Map(bundle.manifest.classes.map(({ name }, c) => [name, c]));
  }

  static async open(bundle: Bundle, dataset: Dataset, threads: number): Promise<AdaptationJudge> {
    const { featureMap } = bundle.manifest;
    const mapper = await FeatureMapper.open(bundle.featureMap, featureMap.mappedWidth, { threads });
    const scorer = await Scorer.open({ threads });
    return new AdaptationJudge(bundle, dataset, {
      mapper,
      scorer,
      fitter: await RuntimeFitter.open(bundle, { threads }),
    });
  }

  /** H without a pool, and what each pool adds to it by each method, and with its true labels; a trial at a time. */
  async judgeSplit(
    number: number,
    mixes: readonly string[],
    methods: Readonly<Record<string, (chosen: AdaptationSettings) => Partial<AdaptationSettings>>>,
    foreign: Dataset | null,
  ): Promise<{ base: number; trials: AdaptationTrial[]; limits: Map<string, number> }> {
    const { pools, judged } = poolSplit(this.dataset, foreign, number);
    const mapped = await this.parts.mapper.map(this.dataset.features, judged.slice());
    const rows = headRows(mapped, this.bundle.manifest.head.temperature);
    const base = (await this.harmonicMeanOf(rows, judged, []))(0);
    const trials: AdaptationTrial[] = [];
    const chosen = adaptationSettingsOf(this.bundle.manifest);
    const limits = new Map<string, number>();
    for (const mix of mixes) {
      const classes = await this.withTrueLabels(pools.get(mix)!);
      limits.set(mix, 100 * ((await this.harmonicMeanOf(rows, judged, classes))(0) - base));
      for (const [method, change] of Object.entries(methods)) {
        const settings = { ...chosen, ...change(chosen) };
        const { rows: pool, unseenShare } = pools.get(mix)!;
        const adaptation = await this.parts.fitter.adapt([], pool, settings);
        const classes = movedClasses(this.bundle, [], adaptation);
        const harmonicMean = await this.harmonicMeanOf(rows, judged, classes);
        const odds = logOddsOf(adaptation);
        trials.push({
          ...{ mix, pictures: pool.rows, method, unseenShare, adaptation },
          gain: 100 * (harmonicMean(0) - base),
          gainsByShare: shareStrengths.map((strength) => 100 * (harmonicMean(strength * odds) - base)),
        });
      }
    }
    return { base: 100 * base, trials, limits };
  }

  /** The unseen classes that the pool holds, each with all of its own pictures, which count as labelled ones. */
  private async withTrueLabels({ rows, truth }: MixedPool): Promise<RuntimeClass[]> {
    const mapped = directRows(await this.parts.mapper.map(rows), 1);
    const { classNames } = this.dataset;
    return this.bundle.manifest.classes.flatMap(({ name, seen, attributes }): RuntimeClass[] => {
      if (seen) return [];
      const own = Array.from(truth.keys()).filter((i) => truth[i] >= 0 && classNames[truth[i]] === name);
      if (own.length === 0) return [];
      const assigned = { mean: meanOfRows(takeRows(mapped, own)), pictures: own.length };
      return [{ name, attributes, assigned }];
    });
  }

  async release(): Promise<void> {
    await this.parts.fitter.release();
    await this.parts.scorer.release();
    await this.parts.mapper.release();
  }

  /** H by what the bias on unseen classes is raised by. */
  private async harmonicMeanOf(
    rows: Matrix,
    judged: readonly number[],
    classes: readonly RuntimeClass[],
  ): Promise<(raisedBy: number) => number> {
    const { labels, classNames } = this.dataset;
    const { manifest } = this.bundle;
    const fit = await this.parts.fitter.fit(classes);
    const scores = await this.parts.scorer.score(appendHeadRows(this.bundle, fit.rows), rows);
    const biases = servingBiases(manifest, classes);
    const columnOf = new Map(this.position);
    classes.forEach(({ name }, c) => {
      biases[this.position.get(name)!] = -Infinity; // the class answers by its new row
      columnOf.set(name, this.position.size + c);
    });
    const isUnseen = Array.from(biases, (_, c) => c >= this.position.size || !manifest.classes[c].seen);
    const answersAt = (raisedBy: number): number[] => {
      const raised = biases.map((bias, c) => bias + (isUnseen[c] ? raisedBy : 0));
      return judged.map((_, i) => {
        const row = rowOf(scores, i);
        let best = 0;
        for (let c = 1; c < row.length; c++) if (row[c] + raised[c] > row[best] + raised[best]) best = c;
        return best;
      });
    };
    const part = (answers: readonly number[], isSeen: boolean): number => {
      const nameOf = (i: number): string => classNames[labels[judged[i]]];
      const own = Array.from(judged.keys()).filter(
        (i) => manifest.classes[this.position.get(nameOf(i))!].seen === isSeen,
      );
      return classMean(
        own.map((i) => labels[judged[i]]),
        (i) => answers[own[i]] === columnOf.get(nameOf(own[i])),
      )!;
    };
    return (raisedBy) => {
      const answers = answersAt(raisedBy);
      return harmonicMean(part(answers, false), part(answers, true));
    };
  }
}

/** Of a picture of the pool that is of any class to be of an unseen one; 0 where half of them are, which is what H counts them as. */
function logOddsOf({ unseenShare, none }: Adaptation): number {
  const share = Math.min(0.98, Math.max(0.02, unseenShare / Math.max(1e-9, 1 - none.share)));
  return Math.log(share / (1 - share));
}
