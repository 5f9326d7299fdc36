/**
 * The sharpness that makes probabilities frequencies: scores are multiplied by it before the softmax. It is the one at which the expected calibration
 * error is smallest for whichever is worse, pictures of seen or of held-out classes, so that neither pays for the other. One constant is enough: the
 * best sharpness hardly depends on how many classes compete (docs/experiments.md).
 */
import { rowOf } from '../../core/matrix.js';
import { calibrationErrorOf, reliabilityBins } from '../evaluation/calibration-error.js';
import type { FoldSample } from './fold-sample.js';

/** A fold with the bias that serving would use. */
export interface BiasedFold extends Pick<FoldSample, 'scores' | 'labels' | 'isUnseen'> {
  readonly unseenBias: number;
}

export interface ChosenSharpness {
  readonly sharpness: number;
  readonly calibrationError: Readonly<Record<'all' | 'seen' | 'unseen', number>>;
}

const coarse = { from: 0.1, step: 1.1, count: 80 };
const fine = { step: 1.02, reach: 6 };

export function chooseSharpness(folds: readonly BiasedFold[]): ChosenSharpness {
  const worst = (sharpness: number): number => {
    const { seen, unseen } = errorsAt(folds, sharpness);
    return Math.max(seen, unseen);
  };
  const bestOf = (candidates: readonly number[]): number => {
    const errors = candidates.map(worst);
    return candidates[errors.indexOf(Math.min(...errors))];
  };
  const near = bestOf(Array.from({ length: coarse.count }, (_, i) => coarse.from * coarse.step ** i));
  const around = Array.from({ length: 2 * fine.reach + 1 }, (_, i) => near * fine.step ** (i - fine.reach));
  const sharpness = Math.fround(bestOf(around));
  return { sharpness, calibrationError: errorsAt(folds, sharpness) };
}

/** Pictures of seen and of unseen classes count alike in `all`, as they do in H, by which the bias is chosen. */
function errorsAt(folds: readonly BiasedFold[], sharpness: number): ChosenSharpness['calibrationError'] {
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
function answersOf(folds: readonly BiasedFold[], sharpness: number, side: number) {
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

/** The best class and its probability. */
export function likeliest(
  scores: Float32Array,
  isUnseen: ArrayLike<number>,
  unseenBias: number,
  sharpness: number,
): { best: number; top: number } {
  let best = 0;
  const biased = (c: number): number => scores[c] + (isUnseen[c] ? unseenBias : 0);
  for (let c = 1; c < scores.length; c++) if (biased(c) > biased(best)) best = c;
  let total = 0;
  for (let c = 0; c < scores.length; c++) total += Math.exp(sharpness * (biased(c) - biased(best)));
  return { best, top: 1 / total };
}
