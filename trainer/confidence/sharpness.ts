/**
 * The sharpness that makes probabilities frequencies (core/head/sharpness.ts), on validation folds: one for answers of seen classes, one for answers of
 * classes known by attributes. Chosen are the two at which the expected calibration error is smallest for whichever is worst, pictures of seen or of
 * held-out classes, answers that name the one or the other, so that none pays for another, plus that over all. How many classes compete hardly
 * matters (docs/experiments.md).
 */
import { sharpnessFor, type Sharpness } from '../../core/head/sharpness.js';
import { rowOf } from '../../core/matrix.js';
import { calibrationBins, calibrationErrorOf, reliabilityBins } from '../evaluation/calibration-error.js';
import type { FoldSample } from './fold-sample.js';

/** A fold with the bias that serving would use. */
export interface BiasedFold extends Pick<FoldSample, 'scores' | 'labels' | 'isUnseen'> {
  readonly unseenBias: number;
}

export interface ChosenSharpness extends Sharpness {
  readonly unseenSharpness: number;
  readonly calibrationError: Readonly<Record<'all' | 'seen' | 'unseen', number>>;
}

/** Candidates are a constant factor apart. */
const candidates = Array.from({ length: 160 }, (_, i) => 0.1 * 1.05 ** i);
/** The two are not farther apart than `largestFactor`: with few classes held out, one of them would follow chance. */
export function chooseSharpness(folds: readonly BiasedFold[], largestFactor = 2): ChosenSharpness {
  const gaps = candidates.map((sharpness) => gapsAt(folds, sharpness));
  let best = { loss: Infinity, seen: 0, unseen: 0 };
  for (let i = 0; i < candidates.length; i++)
    for (let j = 0; j < candidates.length; j++) {
      const factor = candidates[i] / candidates[j];
      if (factor > largestFactor || factor < 1 / largestFactor) continue;
      const loss = lossOf(gaps[i].bySeen, gaps[j].byUnseen);
      if (loss < best.loss) best = { loss, seen: i, unseen: j };
    }
  const chosen = {
    sharpness: Math.fround(candidates[best.seen]),
    unseenSharpness: Math.fround(candidates[best.unseen]),
  };
  return { ...chosen, calibrationError: errorsAt(folds, chosen) };
}

/** Sums of probability less right answers, by bin, each row weighing 1 over the rows of its side: of rows of seen (0) and held-out classes (1). */
interface Gaps {
  readonly sides: readonly [Float64Array, Float64Array];
  weight: number; // of all answers in them
}

/** Of the answers that name a seen class, and of those that name another. */
function gapsAt(folds: readonly BiasedFold[], sharpness: number): { bySeen: Gaps; byUnseen: Gaps } {
  const empty = (): Gaps => ({
    sides: [new Float64Array(calibrationBins), new Float64Array(calibrationBins)],
    weight: 0,
  });
  const [bySeen, byUnseen] = [empty(), empty()];
  const counts = [0, 0];
  for (const { labels, isUnseen } of folds) for (const label of labels) counts[isUnseen[label]] += 1;
  for (const { scores, labels, isUnseen, unseenBias } of folds)
    labels.forEach((label, i) => {
      const { best, top } = likeliest(rowOf(scores, i), isUnseen, unseenBias, { sharpness });
      const side = isUnseen[label];
      const bin = Math.min(calibrationBins - 1, Math.floor(top * calibrationBins));
      const gaps = isUnseen[best] ? byUnseen : bySeen;
      gaps.sides[side][bin] += (top - Number(best === label)) / counts[side];
      gaps.weight += 1 / counts[side];
    });
  return { bySeen, byUnseen };
}

function lossOf(bySeen: Gaps, byUnseen: Gaps): number {
  const errors = [0, 0, 0, 0]; // of pictures of seen and held-out classes, of answers that name seen and other classes
  let all = 0; // pictures of seen and of unseen classes count alike, as they do in H
  for (let bin = 0; bin < calibrationBins; bin++) {
    const pictures = [0, 1].map((side) => bySeen.sides[side][bin] + byUnseen.sides[side][bin]);
    errors[0] += Math.abs(pictures[0]);
    errors[1] += Math.abs(pictures[1]);
    [bySeen, byUnseen].forEach(({ sides, weight }, kind) => {
      if (weight > 0) errors[2 + kind] += Math.abs(sides[0][bin] + sides[1][bin]) / weight;
    });
    all += Math.abs(pictures[0] + pictures[1]) / 2;
  }
  return Math.max(...errors) + all;
}

/** Pictures of seen and of unseen classes count alike in `all`, as they do in H, by which the bias is chosen. */
export function errorsAt(
  folds: readonly BiasedFold[],
  sharpness: Sharpness,
): ChosenSharpness['calibrationError'] {
  const sides = [answersOf(folds, sharpness, 0), answersOf(folds, sharpness, 1)];
  const errorOf = ({ probability, right }: (typeof sides)[number], weights?: number[]): number =>
    calibrationErrorOf(reliabilityBins(probability, right, weights));
  const weights = sides.flatMap(({ right }) => right.map(() => 1 / right.length));
  return {
    all: errorOf(
      {
        probability: sides.flatMap(({ probability }) => probability),
        right: sides.flatMap(({ right }) => right),
      },
      weights,
    ),
    seen: errorOf(sides[0]),
    unseen: errorOf(sides[1]),
  };
}

/** The probability of each answer and whether it is right, for rows of seen (0) or of unseen classes (1). */
function answersOf(folds: readonly BiasedFold[], sharpness: Sharpness, side: number) {
  const probability: number[] = [];
  const right: number[] = [];
  for (const { scores, labels, isUnseen, unseenBias } of folds)
    labels.forEach((label, i) => {
      if (isUnseen[label] !== side) return;
      const { best, top } = likeliest(rowOf(scores, i), isUnseen, unseenBias, sharpness);
      probability.push(top);
      right.push(best === label ? 1 : 0);
    });
  return { probability, right };
}

/** The best class, its probability, and the sharpness that it has. */
export function likeliest(
  scores: Float32Array,
  isUnseen: ArrayLike<number>,
  unseenBias: number,
  sharpness: Sharpness,
): { best: number; top: number; factor: number } {
  let best = 0;
  const biased = (c: number): number => scores[c] + (isUnseen[c] ? unseenBias : 0);
  for (let c = 1; c < scores.length; c++) if (biased(c) > biased(best)) best = c;
  const factor = sharpnessFor(sharpness, isUnseen[best]);
  let total = 0;
  for (let c = 0; c < scores.length; c++) total += Math.exp(factor * (biased(c) - biased(best)));
  return { best, top: 1 / total, factor };
}
