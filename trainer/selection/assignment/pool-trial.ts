/** What pools of unlabelled rows add to H on other rows of a validation fold. */
import { classMean, harmonicMean } from '../../../core/accuracy.js';
import { adapt } from '../../../core/adaptation/adapt.js';
import type { CompetingPrototype } from '../../../core/adaptation/adaptation-input.js';
import type { Adaptation, AdaptationSettings } from '../../../core/adaptation/adaptation.js';
import { movedPrototype } from '../../../core/adaptation/moved-prototype.js';
import type { MatrixProducts } from '../../../core/compute/matrix-products.js';
import { unseenShare } from '../../../core/fitting/evidence.js';
import { matrix, rowOf, stackRows, takeRows, type Matrix } from '../../../core/matrix.js';
import type { FoldInput, LabelledRows } from './fold-input.js';

export const mixes = ['as they come', '80 % seen', 'seen only'];
/** Of each kind in a pool. */
const maxPooled = 350;

/** Pools made of half of the rows, judged on the other half. */
export class PoolTrial {
  private readonly pools: readonly Matrix[];
  private readonly judged: LabelledRows;

  constructor(
    private readonly products: MatrixProducts,
    private readonly fold: FoldInput,
    private readonly bias: number,
    seen: LabelledRows,
    unseen: LabelledRows,
  ) {
    const half = ({ rows, labels }: LabelledRows, first: boolean): LabelledRows => {
      const pooled = Math.min(maxPooled, Math.ceil(labels.length / 2));
      const own = Array.from(labels.keys()).filter((i) => i < pooled === first);
      return { rows: takeRows(rows, own), labels: Int32Array.from(own, (i) => labels[i]) };
    };
    const [ofSeen, ofUnseen] = [half(seen, true).rows, half(unseen, true).rows];
    const few = Array.from({ length: Math.min(ofUnseen.rows, Math.round(ofSeen.rows / 4)) }, (_, i) => i);
    this.pools = [stackRows([ofSeen, ofUnseen]), stackRows([ofSeen, takeRows(ofUnseen, few)]), ofSeen]; // in the order of `mixes`
    const others = [half(seen, false), half(unseen, false)];
    this.judged = {
      rows: stackRows(others.map(({ rows }) => rows)),
      labels: Int32Array.from(others.flatMap(({ labels }) => [...labels])),
    };
  }

  async gains(settings: AdaptationSettings): Promise<number[]> {
    const before = await this.harmonicMeanOf(null);
    const gains: number[] = [];
    for (const pool of this.pools) {
      const input = { ...this.fold, pool, classes: this.classes() };
      const found = await adapt(this.products, input, settings, { isCompared: false });
      gains.push((await this.harmonicMeanOf(found)) - before);
    }
    return gains;
  }

  private classes(): CompetingPrototype[] {
    const { prototypes, isUnseen, classNames } = this.fold;
    return classNames.map((name, c) => ({
      name,
      seen: isUnseen[c] === 0,
      label: c,
      prototype: rowOf(prototypes, c),
      bias: isUnseen[c] * this.bias,
      labelled: null,
      attributed: rowOf(prototypes, c),
      knownShare: 1,
    }));
  }

  private async harmonicMeanOf(found: Adaptation | null): Promise<number> {
    const { prototypes, isUnseen, evidence } = this.fold;
    const weights = matrix(prototypes.rows, prototypes.columns, prototypes.data.slice());
    const offsets = Float64Array.from(isUnseen, (unseen) => unseen * this.bias);
    const own = this.classes();
    found?.classes.forEach(({ assigned }, c) => {
      if (!assigned) return;
      rowOf(weights, c).set(movedPrototype(own[c], assigned, this.fold));
      offsets[c] *= unseenShare(evidence.settings, assigned.pictures);
    });
    const scores = await this.products.forward(this.judged.rows, weights);
    const { labels } = this.judged;
    const isRight = labels.map((label, i) => {
      const row = rowOf(scores, i);
      let best = 0;
      for (let c = 1; c < row.length; c++) if (row[c] + offsets[c] > row[best] + offsets[best]) best = c;
      return best === label ? 1 : 0;
    });
    const part = (unseen: number): number => {
      const rows = Array.from(labels.keys()).filter((i) => isUnseen[labels[i]] === unseen);
      return classMean(
        rows.map((i) => labels[i]),
        (i) => isRight[rows[i]] === 1,
      )!;
    };
    return harmonicMean(part(1), part(0));
  }
}
