/**
 * How far probabilities are from frequencies. Answers are put into bins by their probability p; in each bin the mean of p should be the share that
 * is right, and the expected calibration error is the mean difference, by the number of answers in a bin (or by their weights).
 */
export interface ReliabilityBin {
  readonly probability: number; // mean
  readonly accuracy: number;
  readonly share: number; // of all answers
}

export const calibrationBins = 15;

/** Bins without an answer are left out. */
export function reliabilityBins(
  probabilities: ArrayLike<number>,
  isRight: ArrayLike<number | boolean>,
  weights?: ArrayLike<number>,
): ReliabilityBin[] {
  const bins = Array.from({ length: calibrationBins }, () => ({ weight: 0, probability: 0, right: 0 }));
  let total = 0;
  for (let i = 0; i < probabilities.length; i++) {
    const bin = bins[Math.min(calibrationBins - 1, Math.floor(probabilities[i] * calibrationBins))];
    const weight = weights?.[i] ?? 1;
    bin.weight += weight;
    bin.probability += weight * probabilities[i];
    bin.right += weight * Number(isRight[i]);
    total += weight;
  }
  return bins
    .filter(({ weight }) => weight > 0)
    .map(({ weight, probability, right }) => ({
      probability: probability / weight,
      accuracy: right / weight,
      share: weight / total,
    }));
}

export function calibrationErrorOf(bins: readonly ReliabilityBin[]): number {
  return bins.reduce(
    (sum, { probability, accuracy, share }) => sum + share * Math.abs(probability - accuracy),
    0,
  );
}
