/**
 * Rules for the bias on unseen classes when k of them compete, and H at what each gives:
 *
 *   one number      bias = b
 *   their number    bias = b + slope ln(k / K), as the bundle has it
 *   share of rows   the bias at which a share a + g ln(k / K) of training rows of seen classes goes to unseen classes
 *   their level     bias = c - s * (mean score of the best unseen class on training rows of seen classes)
 *
 * with K the number that validation saw; a, g, c and s are fitted on other folds, b and slope come from the bundle.
 */
import { unseenBiasFor } from '../../core/head/unseen-bias.js';
import { accuracyAtBias } from '../../trainer/evaluation/metrics.js';
import { seenUnseenCurve } from '../../trainer/evaluation/seen-unseen-curve.js';
import type { BiasTrial } from './competitions.js';

interface RuleSettings {
  readonly share: readonly [atAll: number, growth: number];
  readonly level: readonly [offset: number, strength: number];
}

type Rule = (one: BiasTrial, settings: RuleSettings) => number;

export const rules: Readonly<Record<string, Rule>> = {
  'best bias of all': ({ margins }) => seenUnseenCurve(margins).best.harmonicMean,
  'one number': (one) => at(one, one.head.unseenBias),
  'their number': (one) => at(one, biasByNumber(one)),
  'share of rows': (one, { share }) => at(one, biasByShare(one, share)),
  'their level': (one, { level }) => at(one, biasByLevel(one, level)),
  'number and share': (one, { share }) => at(one, (biasByNumber(one) + biasByShare(one, share)) / 2),
};

/** The settings with the best mean H over these competitions. */
export function fitRules(competitions: readonly BiasTrial[]): RuleSettings {
  const bestOf = (
    first: readonly number[],
    second: readonly number[],
    biasOf: (one: BiasTrial, pair: readonly [number, number]) => number,
  ): readonly [number, number] => {
    let best = { pair: [first[0], second[0]] as readonly [number, number], total: -1 };
    for (const a of first)
      for (const b of second) {
        const pair = [a, b] as const;
        const total = competitions.reduce((sum, one) => sum + at(one, biasOf(one, pair)), 0);
        if (total > best.total) best = { pair, total };
      }
    return best.pair;
  };
  return {
    share: bestOf(steps(0.005, 0.3, 20), steps(0, 0.08, 9), biasByShare),
    level: bestOf(steps(-3, 3, 31), steps(0, 1, 11), biasByLevel),
  };
}

function biasByNumber({ head, competing }: BiasTrial): number {
  return unseenBiasFor(head, competing);
}

function biasByShare(
  { trainingMargins, competing, head }: BiasTrial,
  [atAll, growth]: readonly [number, number],
): number {
  const share = atAll + growth * Math.log(competing / (head.unseenBiasClasses ?? competing));
  const place = Math.round(Math.min(1, Math.max(0, share)) * (trainingMargins.length - 1));
  return trainingMargins[place];
}

function biasByLevel({ levelOnSeenRows }: BiasTrial, [offset, strength]: readonly [number, number]): number {
  return offset - strength * levelOnSeenRows;
}

function at({ margins }: BiasTrial, bias: number): number {
  return accuracyAtBias(margins, bias).harmonicMean;
}

function steps(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
}
