/**
 * What tells a picture of none of the known classes from one of them (core/head/novelty/), fitted on validation folds: half of the held-out
 * classes are left out altogether, in several draws, and a logistic regression tells their rows from those of the classes that stay. Rows of seen
 * classes and rows of classes known by attributes alone count alike.
 */
import type { NoveltyDescription } from '../../core/bundle/confidence-description.js';
import { likeliestCount } from '../../core/head/novelty/detector.js';
import { LikelihoodRatios } from '../../core/head/novelty/likelihood-ratio.js';
import { knownLevels } from '../../core/head/novelty/scale.js';
import { noveltyScore, type NoveltySigns } from '../../core/head/novelty/score.js';
import { sharpnessFor, type Sharpness } from '../../core/head/sharpness.js';
import { rowOf } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import type { FoldSample } from './fold-sample.js';
import { cautiousLevels } from './cautious-levels.js';
import { logisticWeights, type LabelledSigns } from './logistic-regression.js';

export type FittedNovelty = Pick<NoveltyDescription, 'withinShares' | 'weights' | 'far' | 'knownScores'>;

/** The bias for so many unseen classes that compete. */
export type BiasFor = (competing: number) => number;

/** Spreads within classes count in full, which suits seen classes, and by half, which suits classes known by attributes. */
const withinShares = [0.5, 1];
const drawsPerFold = 4;
/** This part of the pictures of known classes lies beyond the edge. */
const beyondEdge = 0.005;
/** Of a picture as far beyond the edge as the edge lies from the middle, in logits. */
const farWeight = 20;

export function fitNovelty(
  folds: readonly FoldSample[],
  sharpness: Sharpness,
  biasFor: BiasFor,
): FittedNovelty {
  const labelled = folds.flatMap((fold) =>
    drawsOf(fold).flatMap((out) => signsOf(fold, out, sharpness, biasFor)),
  );
  const [entropy, score, unseenShare, rowLength, residual, ...ratios] = logisticWeights(
    labelled.map(({ signs, isNew, weight }): LabelledSigns => ({ signs: listed(signs), isNew, weight })),
  );
  const knownWithout = (leftOut: (fold: FoldSample) => ReadonlySet<number>) =>
    folds.flatMap((fold, i) =>
      signsOf(fold, leftOut(fold), sharpness, biasFor)
        .map((row, at) => ({ ...row, group: `${i} ${fold.labels[at]}` }))
        .filter(({ isNew }) => !isNew),
    );
  const known = knownWithout(() => new Set());
  const farOf = quantiles(known.map(({ signs, weight }) => [signs.far, weight]));
  const edge = farOf(1 - beyondEdge);
  const far = { edge, scale: Math.max(edge - farOf(0.5), 1e-6), weight: farWeight };
  const weights = { entropy, score, unseenShare, rowLength, residual, ratios };
  // A threshold has to keep to its rate with fewer unseen classes, too: pictures of seen classes then look newer.
  const levels = [known, knownWithout(halfOfUnseen)].map((rows) =>
    cautiousLevels(
      rows.map(({ signs, ...row }) => ({ ...row, score: noveltyScore(signs, { weights, far }) })),
    ),
  );
  const scoreAt = (level: number): number => Math.max(...levels.map((at) => at(level)));
  return { withinShares, weights, far, knownScores: increasing(knownLevels.map(scoreAt)) };
}

/** The classes that are left out in each draw. */
function drawsOf({ heldOut }: FoldSample): ReadonlySet<number>[] {
  if (heldOut.length < 2) return [new Set(heldOut)];
  const random = Random.stream(0, 'novelty');
  return Array.from(
    { length: drawsPerFold },
    () => new Set(random.shuffle(heldOut.slice()).subarray(0, heldOut.length / 2)),
  );
}

/** Rivals included, which have no rows. */
function halfOfUnseen({ isUnseen }: FoldSample): ReadonlySet<number> {
  const unseen = Array.from(isUnseen.keys()).filter((c) => isUnseen[c]);
  const shuffled = Random.stream(0, 'fewer-unseen').shuffle(Int32Array.from(unseen));
  return new Set(shuffled.subarray(0, unseen.length / 2));
}

interface WeighedSigns {
  readonly signs: NoveltySigns;
  readonly isNew: boolean;
  readonly weight: number;
}

/** What serving would observe of every row if these classes did not exist. */
export function signsOf(
  fold: FoldSample,
  left: ReadonlySet<number>,
  sharpness: Sharpness,
  biasFor: BiasFor,
): WeighedSigns[] {
  const { scores, labels, isUnseen, far, projected, residual, places, rowLengths, spreads } = fold;
  const competing = isUnseen.reduce((sum, one) => sum + one, 0) - left.size;
  const bias = biasFor(competing);
  const model = new LikelihoodRatios(spreads, withinShares);
  const classes = Array.from(isUnseen, (one, c) => model.placed(Float64Array.from(rowOf(places, c)), one));
  const kindOf = (label: number): number => (left.has(label) ? 2 : isUnseen[label]);
  const counts = [0, 0, 0];
  for (const label of labels) counts[kindOf(label)] += 1;
  return Array.from(labels, (label, i) => {
    const row = Array.from(rowOf(scores, i), (value, c) =>
      left.has(c) ? -Infinity : value + (isUnseen[c] ? bias : 0),
    );
    const best = bestOf(row, likeliestCount);
    const max = row[best[0]];
    const factor = sharpnessFor(sharpness, isUnseen[best[0]]);
    const parts = row.map((value) => Math.exp(factor * (value - max)));
    const total = parts.reduce((sum, part) => sum + part, 0);
    const weighted = parts.reduce(
      (sum, part, c) => (part > 0 ? sum + part * factor * (row[c] - max) : sum),
      0,
    );
    const unseen = parts.reduce((sum, part, c) => sum + part * isUnseen[c], 0);
    const signs = {
      entropy: Math.log(total) - weighted / total,
      bestScore: sharpness.sharpness * max,
      unseenProbability: unseen / total,
      rowLength: rowLengths[best[0]],
      residual: residual[i],
      ratios: model.ratios(
        rowOf(projected, i),
        best.map((c) => classes[c]),
      ),
      far: far[i],
    };
    const kind = kindOf(label);
    return { signs, isNew: kind === 2, weight: (kind === 2 ? 1 : 0.5) / counts[kind] };
  });
}

function listed({
  entropy,
  bestScore,
  unseenProbability,
  rowLength,
  residual,
  ratios,
}: NoveltySigns): number[] {
  return [entropy, -bestScore, unseenProbability, rowLength, residual, ...ratios];
}

function bestOf(values: readonly number[], count: number): number[] {
  const best: number[] = [];
  values.forEach((value, c) => {
    if (best.length === count && value <= values[best[count - 1]]) return;
    let at = best.length;
    while (at > 0 && values[best[at - 1]] < value) at -= 1;
    best.splice(at, 0, c);
    if (best.length > count) best.pop();
  });
  return best.filter((c) => values[c] > -Infinity);
}

/** The value below which a share of the weight lies. */
function quantiles(weighed: readonly (readonly [number, number])[]): (share: number) => number {
  const sorted = weighed.toSorted(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, weight]) => sum + weight, 0);
  const below: number[] = []; // share of the weight up to and with each value
  sorted.reduce((sum, [, weight], i) => (below[i] = sum + weight / total), 0);
  return (share) => {
    const at = below.findIndex((sum) => sum >= share);
    return sorted[at < 0 ? sorted.length - 1 : at][0];
  };
}

/** Ties are spread a little, so that novelty has a slope everywhere. */
function increasing(values: readonly number[]): number[] {
  const rising: number[] = [];
  for (const value of values) rising.push(Math.max(value, (rising.at(-1) ?? -Infinity) + 1e-6));
  return rising;
}
