/**
 * Unlabelled pictures, of pools of several mixes, judged on other pictures:
 *   npm run bench -- adaptation DATA [--bundle DIRECTORY] [--foreign DATA] [--splits 3] [--mixes NAMES] [--threads N]
 * Half of the test rows make the pools, the other half is judged, in several splits; H is that of the product at the bias that the bundle chose on
 * validation classes, against the same product without a pool. Beside it other assignments: balanced transport, and softmax self-training
 * (rho 0) and relaxed transport with and without the guard. --foreign is a dataset of other pictures with features of the same network.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { classMean, harmonicMean } from '../core/accuracy.js';
import { usualAdaptation } from '../core/adaptation/adapt.js';
import type { AdaptationSettings } from '../core/adaptation/adaptation.js';
import { movedClasses } from '../core/adaptation/moved-classes.js';
import { readBundle } from '../core/bundle/read.js';
import { RuntimeFitter } from '../core/fitting/fitter.js';
import type { RuntimeClass } from '../core/fitting/runtime-class.js';
import { servingBiases } from '../core/fitting/serving-bias.js';
import { FeatureMapper, headRows } from '../core/head/feature-map.js';
import { appendHeadRows } from '../core/head/head-rows.js';
import { Scorer } from '../core/head/scorer.js';
import { rowOf, stackRows, takeRows, type Matrix } from '../core/matrix.js';
import { Random } from '../core/random.js';
import { loadDataset } from '../trainer/datasets/load.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bundle: { type: 'string' },
    foreign: { type: 'string' },
    splits: { type: 'string', default: '3' },
    mixes: { type: 'string' },
    methods: { type: 'string' },
    threads: { type: 'string', default: '0' },
  },
});
const [data] = positionals as (string | undefined)[];
if (data === undefined) {
  console.error(
    'Usage: npm run bench -- adaptation DATA [--bundle DIRECTORY] [--foreign DATA] [--splits 3] [--mixes NAMES] [--methods NAMES] [--threads N]',
  );
  process.exit(2);
}
const dataset = await loadDataset(data);
const foreign = values.foreign === undefined ? null : await loadDataset(values.foreign);
const folder = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true });
});
const bundle = await readBundle(values.bundle ?? trained());
const { manifest } = bundle;
const { labels, splits } = dataset;
const position = new Map(manifest.classes.map(({ name }, c) => [name, c]));
const isUnseen = (row: number): boolean => !manifest.classes[classOf(row)].seen;
const mapper = await FeatureMapper.open(bundle.featureMap, manifest.featureMap.mappedWidth);
const scorer = await Scorer.open();
const fitter = await RuntimeFitter.open(bundle, { threads: Number(values.threads) });

const allMethods: Record<string, AdaptationSettings> = {
  product: usualAdaptation,
  unguarded: { ...usualAdaptation, guard: 0 },
  balanced: { ...usualAdaptation, rho: Infinity, guard: 0 },
  'balanced, guarded': { ...usualAdaptation, rho: Infinity },
  softmax: { ...usualAdaptation, rho: 0, guard: 0 },
  'softmax, guarded': { ...usualAdaptation, rho: 0 },
};
const methods = values.methods?.split(';') ?? Object.keys(allMethods);
const allMixes = [
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
const mixes = values.mixes?.split(';') ?? allMixes.filter((mix) => foreign || mix !== 'a third foreign');

interface Split {
  readonly pools: Map<string, Matrix>;
  readonly judge: (classes: readonly RuntimeClass[]) => Promise<number>;
}

const gains = new Map<string, number[]>();
const bases: number[] = [];
let pictures = new Map<string, number>();
for (let number = 1; number <= Number(values.splits); number++) {
  const { pools, judge } = await split(number);
  const base = await judge([]);
  bases.push(100 * base);
  pictures = new Map(Array.from(pools, ([mix, pool]) => [mix, pool.rows]));
  for (const mix of mixes)
    for (const method of methods) {
      const adaptation = await fitter.adapt([], pools.get(mix)!, allMethods[method]);
      const gain = 100 * ((await judge(movedClasses(bundle, [], adaptation))) - base);
      const key = `${mix}/${method}`;
      gains.set(key, [...(gains.get(key) ?? []), gain]);
    }
  console.error(`split ${number} of ${values.splits}`);
}
console.log(
  `H without a pool: ${mean(bases).toFixed(1)} (${bases.map((one) => one.toFixed(1)).join(', ')}). What each pool adds to it, mean over the splits (least):`,
);
console.log(`${''.padEnd(40)}${methods.map((one) => one.padStart(20)).join('')}`);
for (const mix of mixes)
  console.log(
    `${`  ${mix} (${pictures.get(mix)!})`.padEnd(40)}${methods
      .map((method) => {
        const own = gains.get(`${mix}/${method}`)!;
        return `${signed(mean(own))} (${signed(Math.min(...own))})`.padStart(20);
      })
      .join('')}`,
  );
await fitter.release();

async function split(number: number): Promise<Split> {
  const random = Random.stream(number, 'adaptation');
  const rows = [...splits.testSeen, ...splits.testUnseen].filter((row) =>
    position.has(dataset.classNames[labels[row]]),
  );
  const [pool, judged]: number[][] = [[], []];
  for (const row of rows) (random.uniform() < 0.5 ? pool : judged).push(row);
  const shuffled = (list: number[]): number[] => random.shuffle(list.slice());
  const [ofUnseen, ofSeen] = [pool.filter(isUnseen), pool.filter((row) => !isUnseen(row))];
  const tail = (list: number[]): number[] => {
    const classes = shuffled([...new Set(list.map(classOf))]);
    return classes.flatMap((c, i) => {
      const own = shuffled(list.filter((row) => classOf(row) === c));
      return own.slice(0, Math.ceil(own.length * Math.exp((-4 * i) / classes.length)));
    });
  };
  const few = new Set(
    shuffled([...new Set(ofUnseen.map(classOf))]).slice(
      0,
      Math.max(1, Math.round(new Set(ofUnseen.map(classOf)).size / 5)),
    ),
  );
  const named: Record<string, number[]> = {
    'as they come': pool,
    'unseen only': ofUnseen,
    'long tail': [...tail(ofUnseen), ...tail(ofSeen)],
    'a fifth of the unseen classes': [...ofSeen, ...ofUnseen.filter((row) => few.has(classOf(row)))],
    '80 % seen': [...ofSeen, ...shuffled(ofUnseen).slice(0, Math.round(ofSeen.length / 4))],
    'seen only': ofSeen,
    '100': shuffled(pool).slice(0, 100),
    '300': shuffled(pool).slice(0, 300),
    '1000': shuffled(pool).slice(0, 1000),
  };
  const pools = new Map(
    Object.entries(named).map(([mix, list]) => [mix, takeRows(dataset.features, list)] as const),
  );
  if (foreign) {
    const strangers = shuffled(Array.from({ length: foreign.features.rows }, (_, i) => i));
    const some = takeRows(foreign.features, strangers.slice(0, Math.round(pool.length / 2)));
    pools.set('a third foreign', stackRows([pools.get('as they come')!, some]));
  }
  const mapped = headRows(await mapper.map(dataset.features, judged), manifest.head.temperature);
  return { pools, judge: (classes) => harmonicOf(mapped, judged, classes) };
}

async function harmonicOf(
  mapped: Matrix,
  judged: readonly number[],
  classes: readonly RuntimeClass[],
): Promise<number> {
  const { rows } = await fitter.fit(classes);
  const scores = await scorer.score(appendHeadRows(bundle, rows), mapped);
  const biases = servingBiases(manifest, classes);
  const columnOf = new Map([
    ...position,
    ...classes.map(({ name }, c) => [name, position.size + c] as const),
  ]);
  for (const { name } of classes) biases[position.get(name)!] = -Infinity;
  const answers = judged.map((_, i) => {
    const row = rowOf(scores, i);
    let best = 0;
    for (let c = 1; c < row.length; c++) if (row[c] + biases[c] > row[best] + biases[best]) best = c;
    return best;
  });
  const part = (wanted: boolean): number => {
    const own = Array.from(judged.keys()).filter((i) => isUnseen(judged[i]) === wanted);
    return classMean(
      own.map((i) => labels[judged[i]]),
      (i) => answers[own[i]] === columnOf.get(dataset.classNames[labels[judged[own[i]]]]),
    )!;
  };
  return harmonicMean(part(true), part(false));
}

function classOf(row: number): number {
  return position.get(dataset.classNames[labels[row]])!;
}

function trained(): string {
  const out = join(folder, 'bundle');
  const main = new URL('../cli/main.js', import.meta.url).pathname;
  const { status } = spawnSync(
    process.execPath,
    [main, 'train', '--data', data!, '--out', out, '--no-report'],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error(`training ended with ${String(status)}`);
  return out;
}

function mean(list: readonly number[]): number {
  return list.reduce((sum, value) => sum + value, 0) / list.length;
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(1)}`;
}
