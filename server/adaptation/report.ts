/** From what the fitting process found to what is reported of an adaptation. */
import type { AdaptedRows } from '../classes/fitting/protocol.js';
import { hourMilliseconds, type AnsweredCount } from '../classes/store/pools.js';
import type { AdaptationReport } from './contract.js';
import { percent } from '../../core/percent.js';

/** Of a long list of pictures, so many are named. */
const maxNamed = 500;
const dayMilliseconds = 24 * hourMilliseconds;
/** Seen classes may lose so much, as a share of their rows: a row or two more or less say nothing. */
const seenTolerance = 0.005;
/** Pictures so many times as far from the middle of the training pictures as these are: see core/adaptation/drift.ts. */
const maxDriftRatio = 1.3;

/** A picture of the pool, in the order in which the fitting process was given them. */
export interface PooledPicture {
  readonly id: string;
  readonly answered: string;
  readonly at: number;
}

export function reportOf(
  pool: string,
  { found, rows, before, after, seenRows, drift }: AdaptedRows,
  pictures: readonly PooledPicture[],
  counts: readonly AnsweredCount[],
  now: number,
): AdaptationReport {
  const { classes, none, unseenShare, expected, warnings } = found;
  const changed = Array.from(pictures.keys()).filter((i) => before[i] !== after[i]);
  const measuredDrift = drift && { ...drift, ratio: drift.pool / drift.training };
  const allWarnings = [...warnings, ...warningsOf(measuredDrift, seenRows)];
  return {
    pool,
    pictures: pictures.length,
    classes: classes
      .filter((one) => one.pictures >= 0.5 || one.moved > 0)
      .sort((a, b) => b.pictures - a.pictures || (a.name < b.name ? -1 : 1)),
    movedClasses: classes.filter(({ moved }) => moved > 0).length,
    mass: { seen: Math.max(0, 1 - unseenShare - none.share), unseen: unseenShare, none: none.share },
    none: Array.from(none.rows.subarray(0, maxNamed), (i) => pictures[i].id),
    expected,
    seenRows,
    changedAnswers: {
      pictures: changed.length,
      examples: changed
        .slice(0, maxNamed)
        .map((i) => ({ id: pictures[i].id, before: before[i], after: after[i] })),
      lastDay: lastDayOf(pictures, new Set(changed), counts, now),
    },
    drift: measuredDrift,
    warnings: allWarnings,
    isRecommended:
      rows.length > 0 &&
      changed.length > 0 && // a revision that changes no answer is not worth one
      expected !== null &&
      expected.after > expected.before &&
      allWarnings.length === 0,
  };
}

function warningsOf(
  drift: AdaptationReport['drift'],
  { before, after }: AdaptationReport['seenRows'],
): string[] {
  return [
    ...(drift && drift.ratio > maxDriftRatio
      ? [
          `The pictures lie ${drift.ratio.toFixed(2)} times as far from the middle of the training pictures as these do: they seem to be of another kind.`,
        ]
      : []),
    ...(after < before - seenTolerance
      ? [
          `Of the training pictures ${percent(after)} % would be answered right, instead of ${percent(before)} %.`,
        ]
      : []),
  ];
}

/** Each row of the last day stands for as many pictures as were given the same answer, divided by the rows kept of them. */
function lastDayOf(
  pictures: readonly PooledPicture[],
  changed: ReadonlySet<number>,
  counts: readonly AnsweredCount[],
  now: number,
): AdaptationReport['changedAnswers']['lastDay'] {
  const offered = new Map<string, number>();
  for (const { answered, pictures: count } of counts)
    offered.set(answered, (offered.get(answered) ?? 0) + count);
  const kept = new Map<string, { rows: number; changed: number }>();
  for (const [i, { answered, at }] of pictures.entries()) {
    if (at < now - dayMilliseconds) continue;
    const known = kept.get(answered) ?? { rows: 0, changed: 0 };
    known.rows += 1;
    if (changed.has(i)) known.changed += 1;
    kept.set(answered, known);
  }
  if (kept.size === 0 || counts.length === 0) return null;
  let estimate = 0;
  for (const [answered, { rows, changed: differing }] of kept)
    estimate += (differing / rows) * (offered.get(answered) ?? rows);
  const all = [...offered.values()].reduce((sum, count) => sum + count, 0);
  return { pictures: all, changed: Math.round(estimate) };
}
