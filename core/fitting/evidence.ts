/**
 * Where a class lies, from its attributes and from labelled pictures of it. Attributes put it at p, the n pictures have the mean x;
 * classes lie around where their attributes put them with covariance S, and pictures around their class with variance v in every
 * direction (the feature map has whitened them). The best guess is then the posterior mean
 *
 *   p + G (x - p)        G = S (S + v/n I)^-1
 *
 * S = a E'E + c I: E (m, D) holds how far each class that a closed form was not fitted on lay from its prediction, so that
 * pictures count most in the directions in which classes differ in truth, and least where a few pictures differ by chance;
 * c is its isotropic part. By Woodbury, with u = c + v/n and d = x - p,
 *
 *   G d = d - (v/n) / u (d - E' (u/a I + E E')^-1 E d)
 *
 * which needs one system of (m, m) for each n. The constants are chosen on validation classes (trainer/selection/evidence.ts).
 */
import type { Bundle } from '../bundle/bundle.js';
import {
  addRowProducts,
  choleskyInPlace,
  choleskySolveInPlace,
  type Rows,
} from '../compute/linear-algebra.js';
import { type Matrix } from '../matrix.js';
import { meanOfRows } from '../mean.js';
import type { AssignedPictures } from './runtime-class.js';

/** What a bundle knows of how much pictures and attributes say. */
export interface EvidenceSettings {
  /** Mean squared distance of a class from where its attributes put it. */
  readonly classSpread: number;
  /** Mean squared distance of a picture from its class, as it counts. */
  readonly pictureSpread: number;
  /** The part of classSpread that is taken to be the same in every direction. */
  readonly isotropicShare: number;
  /** With so many pictures the bias on unseen classes is half of what it is without any. */
  readonly halfBiasPictures: number;
}

/** For bundles that say nothing of it: attributes count as eight pictures. */
const usualEvidence: EvidenceSettings = {
  classSpread: 0.1,
  pictureSpread: 0.8,
  isotropicShare: 1,
  halfBiasPictures: 10,
};

export function evidenceSettingsOf({
  head,
}: {
  readonly head: Pick<Bundle['manifest']['head'], 'evidence'>;
}): EvidenceSettings {
  return head.evidence ?? usualEvidence;
}

/**
 * The part of the bias on unseen classes that a class with so many pictures still gets: 1 without any, and towards 0. Where one or two
 * pictures put a class without attributes is less sure than where attributes do, and it gets more.
 */
export function unseenShare(
  { halfBiasPictures }: Pick<EvidenceSettings, 'halfBiasPictures'>,
  pictures: number,
  hasAttributes = true,
): number {
  const share = halfBiasPictures / (halfBiasPictures + pictures);
  return hasAttributes || pictures === 0 ? share : share * (1 + aloneExcess / pictures);
}

/** On folds of CUB the best bias for classes of one picture alone is half as much again as beside attributes, of five a tenth. */
const aloneExcess = 0.5;

/** For people: how many labelled pictures the attributes of a class are worth. */
export function describeEvidence({ classSpread, pictureSpread, halfBiasPictures }: EvidenceSettings): string {
  const worth = pictureSpread / classSpread;
  return (
    `attributes are worth ${worth.toFixed(worth < 10 ? 1 : 0)} labelled pictures of a class, ` +
    `and ${halfBiasPictures} halve its bias`
  );
}

/** A factor takes up to 1.3 MB. */
const maxFactors = 32;

export class EvidenceModel {
  private readonly deviations: Rows; // E (m, D)
  private readonly products: Float64Array; // E E' (m, m), lower triangle
  /** Factors of u/a I + E E' for whole numbers of pictures, which come again and again, by u. */
  private readonly factors = new Map<number, Float64Array>();
  /** Assigned pictures count as any fraction, which hardly comes twice: one factor after another in the same memory. */
  private passing: Float64Array | undefined;

  constructor(
    readonly settings: EvidenceSettings,
    deviations: Matrix | null,
    private readonly width: number, // D
  ) {
    const isUsed = deviations !== null && settings.isotropicShare < 1;
    const count = isUsed ? deviations.rows : 0;
    const data = isUsed ? Float64Array.from(deviations.data) : new Float64Array(0);
    this.deviations = { data, offset: 0, stride: this.width, count };
    this.products = new Float64Array(count * count);
    addRowProducts(
      { data: this.products, offset: 0, stride: count },
      this.deviations,
      this.deviations,
      this.width,
      1,
      true,
    );
  }

  /** How many are in memory: bounded, whatever was asked. */
  get factorsKept(): number {
    return this.factors.size;
  }

  get featureWidth(): number {
    return this.width;
  }

  static ofBundle({ manifest, deviations }: Pick<Bundle, 'manifest' | 'deviations'>): EvidenceModel {
    return new EvidenceModel(evidenceSettingsOf(manifest), deviations, manifest.featureMap.mappedWidth);
  }

  /**
   * The posterior mean of a class that attributes put at `attributed` (D), with `pictures` pictures whose mean is `mean` (D). Where only a share of
   * the attributes is known, rows/move-to-pictures.ts mixes it with what pictures alone say.
   */
  posteriorMean(attributed: Float32Array, mean: Float32Array, pictures: number): Float32Array {
    if (pictures === 0) return attributed;
    const { classSpread, pictureSpread } = this.settings;
    const isotropic = (this.isotropicShare * classSpread) / this.width; // c
    const noise = pictureSpread / this.width / pictures; // v/n
    const difference = Float64Array.from(mean, (value, k) => value - attributed[k]); // d
    const explained = this.explained(difference, isotropic + noise, Number.isInteger(pictures));
    const kept = noise / (isotropic + noise);
    return attributed.map((value, k) => value + difference[k] - kept * (difference[k] - explained[k]));
  }

  private get isotropicShare(): number {
    return this.deviations.count > 0 ? this.settings.isotropicShare : 1;
  }

  /** E' (u/a I + E E')^-1 E d: (D). */
  private explained(difference: Float64Array, u: number, isWhole: boolean): Float64Array {
    const { data, count } = this.deviations;
    const found = new Float64Array(this.width);
    if (count === 0) return found;
    const projected = new Float64Array(count); // E d
    addRowProducts(
      { data: projected, offset: 0, stride: 1 },
      this.deviations,
      { data: difference, offset: 0, stride: this.width, count: 1 },
      this.width,
      1,
    );
    choleskySolveInPlace(this.factorFor(u, isWhole), count, projected, 1);
    for (let row = 0; row < count; row++)
      for (let k = 0; k < this.width; k++) found[k] += projected[row] * data[row * this.width + k];
    return found;
  }

  private factorFor(u: number, isWhole: boolean): Float64Array {
    const known = this.factors.get(u);
    if (known) return known;
    const { count } = this.deviations;
    const scale = (1 - this.settings.isotropicShare) / count; // a
    const factor = isWhole
      ? new Float64Array(count * count)
      : (this.passing ??= new Float64Array(count * count));
    factor.set(this.products);
    for (let i = 0; i < count; i++) factor[i * (count + 1)] += u / scale;
    if (!choleskyInPlace(factor, count)) throw new RangeError('the deviations of classes are not finite');
    if (!isWhole) return factor;
    const [oldest] = this.factors.keys();
    if (this.factors.size >= maxFactors) this.factors.delete(oldest);
    this.factors.set(u, factor);
    return factor;
  }
}

/** Labelled pictures and those that were assigned to a class, as if all were of one kind; null without any. */
export function picturesTogether(
  examples: Matrix | null | undefined,
  assigned: AssignedPictures | undefined,
): AssignedPictures | null {
  const own = examples && examples.rows > 0 ? { mean: meanOfRows(examples), pictures: examples.rows } : null;
  return own && assigned ? picturesOfBoth(own, assigned) : (own ?? assigned ?? null);
}

/** Pictures of one class from two sources. */
export function picturesOfBoth(one: AssignedPictures, other: AssignedPictures): AssignedPictures {
  const pictures = one.pictures + other.pictures;
  const mean = one.mean.map((value, k) => (one.pictures * value + other.pictures * other.mean[k]) / pictures);
  return { mean, pictures };
}
