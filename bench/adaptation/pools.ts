/** Pools of unlabelled pictures, of several mixes, drawn from rows whose other half is judged. */
import { stackRows, takeRows, type Matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';

export const poolMixes = [
  'as they come',
  'unseen only',
  'long tail',
  'a fifth of the unseen classes',
  '80 % seen',
  'seen only',
  'a third foreign',
  '100',
  '300',
  '1000',
];

export interface MixedPool {
  readonly rows: Matrix;
  /** What each shows in truth, by its label in the dataset; -1 for a foreign one. For the limit of what a pool can be worth, and nothing else. */
  readonly truth: Int32Array;
  /** The share of them that is of unseen classes. */
  readonly unseenShare: number;
}

interface PoolSplit {
  readonly pools: ReadonlyMap<string, MixedPool>;
  readonly judged: readonly number[]; // rows of the dataset
}

/** The test rows in two halves by chance: one makes the pools, the other is judged. `foreign` are pictures of another domain. */
export function poolSplit(dataset: Dataset, foreign: Dataset | null, number: number): PoolSplit {
  const random = Random.stream(number, 'adaptation');
  const { labels, splits, features } = dataset;
  const [pool, judged]: number[][] = [[], []];
  for (const row of [...splits.testSeen, ...splits.testUnseen])
    (random.uniform() < 0.5 ? pool : judged).push(row);
  const unseen = new Set(dataset.unseen);
  const isUnseen = (row: number): boolean => unseen.has(labels[row]);
  const shuffled = (list: number[]): number[] => random.shuffle(list.slice());
  const [ofUnseen, ofSeen] = [pool.filter(isUnseen), pool.filter((row) => !isUnseen(row))];
  const classesOf = (list: number[]): number[] => shuffled([...new Set(list.map((row) => labels[row]))]);
  /** From all pictures of the first class down to a fiftieth of those of the last. */
  const tail = (list: number[]): number[] => {
    const classes = classesOf(list);
    return classes.flatMap((label, i) => {
      const own = shuffled(list.filter((row) => labels[row] === label));
      return own.slice(0, Math.ceil(own.length * Math.exp((-4 * i) / classes.length)));
    });
  };
  const present = classesOf(ofUnseen);
  const few = new Set(present.slice(0, Math.max(1, Math.round(present.length / 5))));
  const named: Record<string, number[]> = {
    'as they come': pool,
    'unseen only': ofUnseen,
    'long tail': [...tail(ofUnseen), ...tail(ofSeen)],
    'a fifth of the unseen classes': [...ofSeen, ...ofUnseen.filter((row) => few.has(labels[row]))],
    '80 % seen': [...ofSeen, ...shuffled(ofUnseen).slice(0, Math.round(ofSeen.length / 4))],
    'seen only': ofSeen,
    '100': shuffled(pool).slice(0, 100),
    '300': shuffled(pool).slice(0, 300),
    '1000': shuffled(pool).slice(0, 1000),
  };
  const pools = new Map(
    Object.entries(named).map(([mix, list]): [string, MixedPool] => [
      mix,
      {
        rows: takeRows(features, list),
        truth: Int32Array.from(list, (row) => labels[row]),
        unseenShare: list.filter(isUnseen).length / list.length,
      },
    ]),
  );
  if (foreign) {
    const strangers = shuffled(Array.from({ length: foreign.features.rows }, (_, i) => i));
    const some = takeRows(foreign.features, strangers.slice(0, Math.round(pool.length / 2)));
    const own = pools.get('as they come')!;
    const rows = stackRows([own.rows, some]);
    const truth = new Int32Array(rows.rows).fill(-1);
    truth.set(own.truth);
    pools.set('a third foreign', { rows, truth, unseenShare: (own.unseenShare * own.rows.rows) / rows.rows });
  }
  return { pools, judged };
}
