/**
 * Is a picture of one of the known classes, or of a class that nobody has named? Along each of the k directions in which classes differ,
 * classes are taken to lie around their mean with variance b (between), pictures around their class with variance a w (within; a is the part of
 * the spread that is counted), and a class that is known by attributes alone around where these put it with variance d (deviation):
 *
 *   new class      y ~ N(0, b + a w)
 *   seen class     y ~ N(m, a w + (1 - g) b)        g = n b / (n b + a w): n training rows leave this much open
 *   by attributes  y ~ N(m, a w + d)
 *
 * The ratio is log p(y | new class) - max over the likeliest known classes of log p(y | class). A class with pictures of its own lies between the two
 * kinds, by the share of the bias on unseen classes that it still gets.
 */
import type { NoveltyDescription } from '../../bundle/confidence-description.js';

export type Spreads = Pick<NoveltyDescription, 'within' | 'between' | 'deviation' | 'rowsPerClass'>;

/** A normal distribution with a diagonal covariance: (k). */
interface Normal {
  readonly precision: Float64Array;
  readonly logDeterminant: number;
}

/** A known class as the ratios see it. */
export interface PlacedClass {
  readonly place: Float64Array; // (k)
  readonly spreads: readonly Normal[]; // one for each share
}

export class LikelihoodRatios {
  private readonly newClass: readonly Normal[];
  /** Of seen classes and of those known by attributes alone, which are nearly all. */
  private readonly usual: readonly [readonly Normal[], readonly Normal[]];

  constructor(
    private readonly spreads: Spreads,
    private readonly withinShares: readonly number[],
  ) {
    const { within, between } = spreads;
    this.newClass = withinShares.map((a) => normal(within.map((w, k) => between[k] + a * w)));
    this.usual = [this.spreadsOf(0), this.spreadsOf(1)];
  }

  /** `unseenShare`: 0 for a seen class, 1 for one that is known by its attributes alone. */
  placed(place: Float64Array, unseenShare: number): PlacedClass {
    const isUsual = unseenShare === 0 || unseenShare === 1;
    return { place, spreads: isUsual ? this.usual[unseenShare] : this.spreadsOf(unseenShare) };
  }

  /** One ratio for each share; higher: newer. */
  ratios(projected: Float32Array, likeliest: readonly PlacedClass[]): number[] {
    return this.newClass.map((spread, i) => {
      let best = -Infinity;
      for (const { place, spreads } of likeliest)
        best = Math.max(best, logDensity(projected, place, spreads[i]));
      return logDensity(projected, null, spread) - best;
    });
  }

  private spreadsOf(unseenShare: number): Normal[] {
    const { within, between, deviation, rowsPerClass } = this.spreads;
    return this.withinShares.map((a) =>
      normal(
        within.map((w, k) => {
          const gain = (rowsPerClass * between[k]) / (rowsPerClass * between[k] + a * w);
          const seen = (1 - gain) * between[k];
          return a * w + seen + unseenShare * (deviation[k] - seen);
        }),
      ),
    );
  }
}

function normal(variances: readonly number[]): Normal {
  return {
    precision: Float64Array.from(variances, (variance) => 1 / variance),
    logDeterminant: variances.reduce((sum, variance) => sum + Math.log(variance), 0),
  };
}

/** Without the constant that all have in common. */
function logDensity(
  y: Float32Array,
  place: Float64Array | null,
  { precision, logDeterminant }: Normal,
): number {
  let sum = logDeterminant;
  for (let k = 0; k < y.length; k++) {
    const difference = place ? y[k] - place[k] : y[k];
    sum += difference * difference * precision[k];
  }
  return -sum / 2;
}
