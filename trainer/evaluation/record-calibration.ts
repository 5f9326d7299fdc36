/** How far the probabilities of answers are from frequencies, noted while rows are being judged: scores need not be computed twice. */
import type { Sharpness } from '../../core/head/sharpness.js';
import { rowOf } from '../../core/matrix.js';
import { likeliest } from '../confidence/sharpness.js';
import type { Dataset } from '../datasets/dataset.js';
import { calibrationErrorOf, reliabilityBins, type ReliabilityBin } from './calibration-error.js';
import { unseenMask, type ScoreRows } from './judge-rows.js';

export interface Calibration {
  /** Expected calibration error, 15 bins; null where there are no such rows. */
  readonly all: number | null;
  readonly seen: number | null;
  readonly unseen: number | null;
  /** Reliability: of all answers, and of those for pictures of seen and of unseen classes. */
  readonly bins: readonly ReliabilityBin[];
  readonly seenBins: readonly ReliabilityBin[];
  readonly unseenBins: readonly ReliabilityBin[];
}

export function recordCalibration(
  dataset: Dataset,
  { unseenBias, sharpness }: { readonly unseenBias: number; readonly sharpness: Sharpness },
): { readonly watch: (score: ScoreRows) => ScoreRows; readonly result: () => Calibration } {
  const isUnseen = unseenMask(dataset);
  const noted: { readonly top: number; readonly right: boolean; readonly unseen: boolean }[] = [];
  const binsOf = (rows: typeof noted): ReliabilityBin[] =>
    reliabilityBins(
      rows.map(({ top }) => top),
      rows.map(({ right }) => right),
    );
  const errorOf = (rows: typeof noted): number | null =>
    rows.length === 0 ? null : calibrationErrorOf(binsOf(rows));
  return {
    watch: (score) => async (rows) => {
      const scores = await score(rows);
      rows.forEach((row, i) => {
        const label = dataset.labels[row];
        const { best, top } = likeliest(rowOf(scores, i), isUnseen, unseenBias, sharpness);
        noted.push({ top, right: best === label, unseen: isUnseen[label] === 1 });
      });
      return scores;
    },
    result: () => {
      const [ofSeen, ofUnseen] = [false, true].map((side) => noted.filter(({ unseen }) => unseen === side));
      return {
        all: errorOf(noted),
        seen: errorOf(ofSeen),
        unseen: errorOf(ofUnseen),
        bins: binsOf(noted),
        seenBins: binsOf(ofSeen),
        unseenBins: binsOf(ofUnseen),
      };
    },
  };
}
