/** A bundle with the dataset that judges it: how much H gains from a pool, product against product without one. */
import { classMean, harmonicMean } from '../../core/accuracy.js';
import type { Adaptation, AdaptationSettings } from '../../core/adaptation/adaptation.js';
import { movedClasses } from '../../core/adaptation/moved-classes.js';
import type { Bundle } from '../../core/bundle/bundle.js';
import { RuntimeFitter } from '../../core/fitting/fitter.js';
import type { RuntimeClass } from '../../core/fitting/runtime-class.js';
import { servingBiases } from '../../core/fitting/serving-bias.js';
import { FeatureMapper, headRows } from '../../core/head/feature-map.js';
import { appendHeadRows } from '../../core/head/head-rows.js';
import { Scorer } from '../../core/head/scorer.js';
import { rowOf, type Matrix } from '../../core/matrix.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { poolSplit } from './pools.js';

export interface Trial {
  readonly mix: string;
  readonly pictures: number;
  readonly method: string;
  readonly gain: number; // points of H
  readonly adaptation: Adaptation;
}

export class World {
  private readonly position: ReadonlyMap<string, number>;

  private constructor(
    private readonly bundle: Bundle,
    private readonly dataset: Dataset,
    private readonly parts: { mapper: FeatureMapper; scorer: Scorer; fitter: RuntimeFitter },
  ) {
    this.position = new Map(bundle.manifest.classes.map(({ name }, c) => [name, c]));
  }

  static async open(bundle: Bundle, dataset: Dataset, threads: number): Promise<World> {
    const { featureMap } = bundle.manifest;
    const mapper = await FeatureMapper.open(bundle.featureMap, featureMap.mappedWidth, { threads });
    const scorer = await Scorer.open({ threads });
    return new World(bundle, dataset, {
      mapper,
      scorer,
      fitter: await RuntimeFitter.open(bundle, { threads }),
    });
  }

  /** H without a pool, and what each pool adds to it by each method; a trial at a time. */
  async judgeSplit(
    number: number,
    mixes: readonly string[],
    methods: Readonly<Record<string, AdaptationSettings | undefined>>,
    foreign: Dataset | null,
  ): Promise<{ base: number; trials: Trial[] }> {
    const { pools, judged } = poolSplit(this.dataset, foreign, number);
    const mapped = await this.parts.mapper.map(this.dataset.features, judged.slice());
    const rows = headRows(mapped, this.bundle.manifest.head.temperature);
    const base = await this.harmonicMeanOf(rows, judged, []);
    const trials: Trial[] = [];
    for (const mix of mixes)
      for (const [method, settings] of Object.entries(methods)) {
        const pool = pools.get(mix)!;
        const adaptation = await this.parts.fitter.adapt([], pool, settings);
        const classes = movedClasses(this.bundle, [], adaptation);
        const gain = 100 * ((await this.harmonicMeanOf(rows, judged, classes)) - base);
        trials.push({ mix, pictures: pool.rows, method, gain, adaptation });
      }
    return { base: 100 * base, trials };
  }

  async release(): Promise<void> {
    await this.parts.fitter.release();
    await this.parts.scorer.release();
    await this.parts.mapper.release();
  }

  private async harmonicMeanOf(
    rows: Matrix,
    judged: readonly number[],
    classes: readonly RuntimeClass[],
  ): Promise<number> {
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
    const answers = judged.map((_, i) => {
      const row = rowOf(scores, i);
      let best = 0;
      for (let c = 1; c < row.length; c++) if (row[c] + biases[c] > row[best] + biases[best]) best = c;
      return best;
    });
    const part = (isSeen: boolean): number => {
      const nameOf = (i: number): string => classNames[labels[judged[i]]];
      const own = Array.from(judged.keys()).filter(
        (i) => manifest.classes[this.position.get(nameOf(i))!].seen === isSeen,
      );
      return classMean(
        own.map((i) => labels[judged[i]]),
        (i) => answers[own[i]] === columnOf.get(nameOf(own[i])),
      )!;
    };
    return harmonicMean(part(false), part(true));
  }
}
