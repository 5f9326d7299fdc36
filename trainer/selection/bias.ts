/**
 * The bias on unseen classes, chosen on validation folds: for as many unseen classes as will compete, the one with the best mean H; for
 * any other number k of them,
 *
 *   bias(k) = unseenBias + slope * ln(k / classes)
 *
 * with the slope that has the best mean H over folds in which fewer classes compete.
 *
 * With few held-out classes the mean H is a jagged curve, and its highest point a matter of chance: it is smoothed before the best is taken.
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
/** With fewer held-out classes in all folds together the mean H is smoothed. */
const enoughForPeaks = 30;
/** By how much, in units of how far margins scatter. */
const smoothing = 0.15;
const gridSteps = 200;

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
  const biases = basis.heldOut < enoughForPeaks ? gridOver(basis.foldBiases, scatterOf(folds)) : candidates;
  const means = biases.map(meanAt);
  const judged = biases === candidates ? means : smoothed(biases, means, smoothing * scatterOf(folds));
  const best = judged.reduce((top, value, i) => (value > judged[top] ? i : top), 0);
  const near = biases.filter((_, i) => means[i] >= means[best] - halfAPoint);
  const unseenBias = Math.fround(biases[best]);
  return {
    unseenBias,
    slope: Math.fround(chooseSlope(folds, unseenBias, classes)),
    classes,
    plausible: [near[0], near.at(-1)!],
    ...basis,
    harmonicMean: means[best],
    range: [Math.min(range[0], unseenBias), Math.max(range[1], unseenBias)],
  };
}

/** From below the best bias of every fold to above it. */
function gridOver(foldBiases: readonly number[], scatter: number): number[] {
  const [lowest, highest] = [Math.min(...foldBiases) - scatter, Math.max(...foldBiases) + scatter];
  return Array.from({ length: gridSteps + 1 }, (_, i) => lowest + ((highest - lowest) * i) / gridSteps);
}

/** Each value the mean of those near it, by a Gaussian of this width. */
function smoothed(biases: readonly number[], values: readonly number[], width: number): number[] {
  return biases.map((at) => {
    let [sum, total] = [0, 0];
    biases.forEach((bias, i) => {
      const weight = Math.exp(-((bias - at) ** 2) / (2 * width ** 2 || 1));
      sum += weight * values[i];
      total += weight;
    });
    return sum / total;
  });
}

/** How far margins scatter, in the mean over the folds: what biases are measured in. */
function scatterOf(folds: readonly JudgedFold[]): number {
  return mean(folds.map(({ margins }) => deviation(margins.margin)));
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
  const scale = scatterOf(folds);
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
