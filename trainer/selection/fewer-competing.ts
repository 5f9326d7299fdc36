/**
 * A validation fold judged with only some of its held-out classes competing: 1, 2, 4, … of them, in several draws each. From how
 * the best bias changes with their number follows the bias for any number of classes (bias.ts).
 */
import { matrix, type Matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import type { Dataset } from '../datasets/dataset.js';
import { judgeRows, type ScoreRows } from '../evaluation/judge-rows.js';
import type { Margins } from '../evaluation/metrics.js';

export interface FewerCompeting {
  readonly competing: number;
  readonly margins: Margins;
}

const drawsPerCount = 3;
/** With more rows, scores are sampled: the slope needs no more. */
const maxSeenRows = 4000;

export async function judgeFewer(score: ScoreRows, dataset: Dataset): Promise<FewerCompeting[]> {
  const { labels, splits } = dataset;
  const heldOut = [...new Set(Array.from(splits.testUnseen, (row) => labels[row]))].sort((a, b) => a - b);
  const counts: number[] = [];
  for (let count = 1; count <= heldOut.length && count < dataset.unseen.length; count *= 2)
    counts.push(count);
  if (counts.length === 0) return [];
  const random = Random.stream(0, 'fewer-competing');
  const seenRows = random.shuffle(splits.testSeen.slice()).subarray(0, maxSeenRows).sort();
  const cached = await scoresOnce(score, [...seenRows, ...splits.testUnseen]);
  const results: FewerCompeting[] = [];
  for (const competing of counts) {
    for (let draw = 0; draw < drawsPerCount; draw++) {
      const chosen = new Set(random.shuffle(heldOut.slice()).slice(0, competing));
      const own = splits.testUnseen.filter((row) => chosen.has(labels[row]));
      const left = new Set(Array.from(dataset.unseen).filter((label) => !chosen.has(label)));
      const rows = Int32Array.from([...seenRows, ...own]);
      results.push({ competing, margins: await judgeRows(without(cached, left), dataset, rows) });
    }
  }
  return results;
}

/** Scores of rows that are asked for many times. */
async function scoresOnce(score: ScoreRows, rows: readonly number[]): Promise<ScoreRows> {
  const place = new Map(rows.map((row, i) => [row, i]));
  const pieces: Matrix[] = [];
  const step = 1024;
  for (let start = 0; start < rows.length; start += step)
    pieces.push(await score(Int32Array.from(rows.slice(start, start + step))));
  return (asked) => {
    const scores = matrix(asked.length, pieces[0].columns);
    asked.forEach((row, i) => {
      const at = place.get(row)!;
      const { data, columns } = pieces[Math.floor(at / step)];
      scores.data.set(data.subarray((at % step) * columns, ((at % step) + 1) * columns), i * columns);
    });
    return Promise.resolve(scores);
  };
}

/** Classes that do not compete score lower than any that does. */
function without(score: ScoreRows, left: ReadonlySet<number>): ScoreRows {
  return async (rows) => {
    const scores = await score(rows);
    for (let start = 0; start < scores.data.length; start += scores.columns)
      for (const label of left) scores.data[start + label] = -Infinity;
    return scores;
  };
}
