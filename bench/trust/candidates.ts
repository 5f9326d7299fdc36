/** What might tell pictures of classes that are left out from those of known ones, and which of it together: judged on folds of validation classes. */
import { rowOf } from '../../core/matrix.js';
import type { Sharpness } from '../../core/head/sharpness.js';
import { LikelihoodRatios } from '../../core/head/novelty/likelihood-ratio.js';
import { signsOf, type BiasFor } from '../../trainer/confidence/novelty.js';
import { logisticWeights } from '../../trainer/confidence/logistic-regression.js';
import { areaUnderCurve } from './answers.js';
import type { CandidateFold } from './candidate-folds.js';

/** The higher, the newer. */
type Signals = Readonly<Record<string, number>>;

export interface SignalRow {
  readonly signals: Signals;
  readonly kind: 'seen' | 'by attributes' | 'left out';
}

const shares = [0.35, 0.5, 0.7, 1];

/** The combinations that are compared; each is a logistic regression fitted on all folds but the one that it is judged on. */
const before = ['entropy', 'best score', 'ratio 0.5', 'ratio 1'];
const chosen = [...before, 'unseen probability', 'row length', 'residual'];
export const combinations: Readonly<Record<string, readonly string[]>> = {
  'entropy, best score, ratios': before,
  '… and unseen probability': [...before, 'unseen probability'],
  '… and row length': [...before, 'unseen probability', 'row length'],
  '… and residual (in use)': chosen,
  '… and neighbours': [...chosen, 'neighbour 1', 'neighbour 5'],
  '… and attribute agreement': [...chosen, 'agreement', 'best agreement'],
  '… and margin': [...chosen, 'margin'],
  '… and standardised score': [...chosen, 'standardised score'],
  '… and ratios 0.35, 0.7': [...chosen, 'ratio 0.35', 'ratio 0.7'],
  '… times unseen probability': [...chosen, ...chosen.map((name) => `${name} * unseen probability`)],
};

export function signalsOf(
  fold: CandidateFold,
  left: ReadonlySet<number>,
  sharpness: Sharpness,
  biasFor: BiasFor,
): SignalRow[] {
  const { sample, neighbours, agreement } = fold;
  const { scores, labels, isUnseen, projected, places } = sample;
  const model = new LikelihoodRatios(sample.spreads, shares);
  const placed = Array.from(isUnseen, (one, c) => model.placed(Float64Array.from(rowOf(places, c)), one));
  const bias = biasFor(isUnseen.reduce((sum, one) => sum + one, 0) - left.size);
  return signsOf(sample, left, sharpness, biasFor).map(({ signs, isNew }, i): SignalRow => {
    const row = Array.from(rowOf(scores, i), (value, c) =>
      left.has(c) ? -Infinity : value + (isUnseen[c] ? bias : 0),
    );
    const order = Array.from(row.keys()).sort((a, b) => row[b] - row[a]);
    const best = order[0];
    const parts = row.map((value) => Math.exp(sharpness.sharpness * (value - row[best])));
    const total = parts.reduce((sum, part) => sum + part, 0);
    const ratios = model.ratios(
      rowOf(projected, i),
      order.slice(0, 5).map((c) => placed[c]),
    );
    const allowed = Array.from(rowOf(agreement, i)).filter((_, c) => !left.has(c));
    const signals: Record<string, number> = {
      entropy: signs.entropy,
      'largest probability': -1 / total,
      'best score': -signs.bestScore,
      energy: -(sharpness.sharpness * row[best] + Math.log(total)),
      margin: row[order[1]] - row[best],
      'fifth margin': row[order[4]] - row[best],
      'standardised score': -(row[best] - fold.usualScores[best].mean) / fold.usualScores[best].deviation,
      'unseen probability': signs.unseenProbability,
      'row length': signs.rowLength,
      residual: signs.residual,
      'neighbour 1': -rowOf(neighbours, i)[0],
      'neighbour 5': -rowOf(neighbours, i)[1],
      'neighbour 20': -rowOf(neighbours, i)[2],
      agreement: -rowOf(agreement, i)[best],
      'best agreement': -Math.max(...allowed),
    };
    shares.forEach((share, k) => (signals[`ratio ${share}`] = ratios[k]));
    return { signals, kind: isNew ? 'left out' : isUnseen[labels[i]] ? 'by attributes' : 'seen' };
  });
}

/** Area under the curve against rows of seen classes, against rows of classes known by attributes, and the mean of the two. */
export function areasOf(rows: readonly SignalRow[], valueOf: (signals: Signals) => number): number[] {
  const of = (kind: SignalRow['kind']): number[] =>
    rows.filter((row) => row.kind === kind).map(({ signals }) => valueOf(signals));
  const fresh = of('left out');
  const [seen, described] = [of('seen'), of('by attributes')].map((known) => areaUnderCurve(known, fresh));
  return [seen, described, (seen + described) / 2];
}

export function fitCombination(
  rows: readonly SignalRow[],
  names: readonly string[],
): (signals: Signals) => number {
  const count = (kind: SignalRow['kind']): number => rows.filter((row) => row.kind === kind).length;
  const counts = {
    seen: count('seen'),
    'by attributes': count('by attributes'),
    'left out': count('left out'),
  };
  const listed = (signals: Signals): number[] =>
    names.map((name) => name.split(' * ').reduce((product, one) => product * signals[one], 1));
  const weights = logisticWeights(
    rows.map(({ signals, kind }) => ({
      signs: listed(signals),
      isNew: kind === 'left out',
      weight: (kind === 'left out' ? 1 : 0.5) / counts[kind],
    })),
  );
  return (signals) => listed(signals).reduce((sum, value, k) => sum + value * weights[k], 0);
}
