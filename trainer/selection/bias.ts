/**
 * The bias on unseen classes, chosen on validation folds: for as many unseen classes as will compete, the one with the best mean H; for
 * any other number k of them,
 *
 *   bias(k) = unseenBias + slope * ln(k / classes)
 *
 * with the slope that has the best mean H over folds in which fewer classes compete.
 */
import { unseenBiasFor } from '../../core/head/unseen-bias.js';
import { mean } from '../../core/mean.js';
import { accuracyAtBias, type Margins } from '../evaluation/metrics.js';
import { seenUnseenCurve } from '../evaluation/seen-unseen-curve.js';
import type { FoldResult } from './validate.js';

export interface ChosenBias {
  readonly unseenBias: number;
  readonly slope: number; // 0 or less
  readonly classes: number; // unseen classes that competed for unseenBias
  /** Biases whose mean H is within half a point of the best: how sure the choice is. */
  readonly plausible: readonly [number, number];
  /** Seen classes that played unseen in all folds together, and the best bias of each fold: how much the choice rests on. */
  readonly heldOut: number;
  readonly foldBiases: readonly number[];
  /** Mean over the folds of H at that one bias. */
  readonly harmonicMean: number;
  readonly range: readonly [number, number];
}

export type JudgedFold = Pick<FoldResult, 'margins'> & Partial<Pick<FoldResult, 'competing' | 'fewer'>>;

const candidatesPerFold = 400;
const slopeCandidates = 20;
const halfAPoint = 0.005;

/** The bias for a number of competing unseen classes, as serving has it. */
export function biasFor(
  { unseenBias, slope, classes }: Pick<ChosenBias, 'unseenBias' | 'slope' | 'classes'>,
  competing: number,
): number {
  return unseenBiasFor({ unseenBias, unseenBiasSlope: slope, unseenBiasClasses: classes }, competing);
}

/** The one bias that gives the best mean H over the folds; or the one given, with its mean H. */
export function chooseBias(folds: readonly JudgedFold[], given: number | null = null): ChosenBias {
  const candidates = candidateBiases(folds, given);
  const range = [Math.fround(candidates[0]), Math.fround(candidates.at(-1)!)] as const;
  const classes = Math.max(1, Math.round(mean(folds.map(({ competing = 1 }) => competing))));
  const meanAt = (bias: number): number => meanHarmonic(folds, () => bias);
  const basis = {
    heldOut: folds.reduce((sum, { margins }) => sum + unseenLabels(margins), 0),
    foldBiases: folds.map(({ margins }) => seenUnseenCurve(margins).best.bias),
  };
  if (given !== null)
    return {
      unseenBias: given,
      slope: 0,
      classes,
      plausible: [given, given],
      ...basis,
      harmonicMean: meanAt(given),
      range,
    };
  const means = candidates.map(meanAt);
  const best = means.reduce((top, value, i) => (value > means[top] ? i : top), 0);
  const near = candidates.filter((_, i) => means[i] >= means[best] - halfAPoint);
  const unseenBias = Math.fround(candidates[best]);
  return {
    unseenBias,
    slope: Math.fround(chooseSlope(folds, unseenBias, classes)),
    classes,
    plausible: [near[0], near.at(-1)!],
    ...basis,
    harmonicMean: means[best],
    range,
  };
}

/** Classes of which there are test rows among the unseen ones: rivals have none. */
function unseenLabels({ labels, isUnseen }: Margins): number {
  return new Set(Array.from(labels).filter((_, i) => isUnseen[i] === 1)).size;
}

function candidateBiases(folds: readonly JudgedFold[], given: number | null): number[] {
  const candidates = folds.flatMap(({ margins }) => {
    const sorted = Array.from(margins.margin).sort((a, b) => a - b);
    const step = Math.max(1, Math.floor(sorted.length / candidatesPerFold));
    return sorted.filter((_, i) => i % step === 0);
  });
  candidates.push(...folds.map(({ margins }) => seenUnseenCurve(margins).best.bias));
  if (given !== null) candidates.push(given); // the range must have room for it
  return candidates.sort((a, b) => a - b);
}

/** In units of how far margins scatter, so that it suits scores of any scale; 0 where fewer classes were not judged. */
function chooseSlope(folds: readonly JudgedFold[], unseenBias: number, classes: number): number {
  const judged = folds.flatMap(({ fewer = [] }) => fewer);
  if (judged.length === 0) return 0;
  const scale = mean(folds.map(({ margins }) => deviation(margins.margin)));
  let best = { slope: 0, score: -Infinity };
  for (let step = 0; step <= slopeCandidates; step++) {
    const slope = step === 0 ? 0 : (-scale * step) / slopeCandidates; // never -0
    const score = meanHarmonic(judged, ({ competing }) => unseenBias + slope * Math.log(competing / classes));
    if (score > best.score) best = { slope, score };
  }
  return best.slope;
}

function meanHarmonic<T extends { readonly margins: Margins }>(
  judged: readonly T[],
  biasOf: (one: T) => number,
): number {
  return mean(judged.map((one) => accuracyAtBias(one.margins, biasOf(one)).harmonicMean));
}

function deviation(values: Float64Array): number {
  const finite = Array.from(values).filter(Number.isFinite);
  const center = mean(finite);
  return Math.sqrt(mean(finite.map((value) => (value - center) ** 2)));
}
