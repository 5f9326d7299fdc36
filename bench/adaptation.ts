/**
 * Unlabelled pictures, of pools of several mixes, judged on other pictures:
 *   npm run bench -- adaptation DATA [--bundle DIRECTORY] [--foreign DATA] [--splits 3] [--mixes NAMES] [--methods NAMES] [--threads N]
 * Half of the test rows make the pools, the other half is judged, in several splits; H is that of the product at the bias that the bundle chose on
 * validation classes, against the same product without a pool. Beside it other assignments: balanced transport, and softmax self-training
 * (rho 0) and relaxed transport with and without the guard, and the usual values in place of those chosen for the bundle. --foreign is a dataset of other pictures with features of the same network: the drawn flags of
 *   npm run demo:build -- --out BUNDLE --dataset FLAGS
 * The last column is the limit: what the pool would add if it was known what every picture of it shows. Beside the gains it prints how well the share of unseen pictures in each pool is estimated, and what a bias that follows it would do.
 *   npm run bench -- adaptation DATA --validation [--worlds 3] [--work DIRECTORY] [--foreign DATA] …
 * is where settings are chosen: folds of training rows alone, in which seen classes play unseen, with each setting changed in turn. The worst mix
 * decides. --work keeps the bundles of the folds for another run.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { usualAdaptation } from '../core/adaptation/adaptation-settings.js';
import type { AdaptationSettings } from '../core/adaptation/adaptation.js';
import { readBundle } from '../core/bundle/read.js';
import { mean } from '../core/mean.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { poolMixes } from './adaptation/pools.js';
import { trainedFold } from './adaptation/validation-folds.js';
import { shareStrengths, AdaptationJudge, type AdaptationTrial } from './adaptation/adaptation-judge.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bundle: { type: 'string' },
    foreign: { type: 'string' },
    splits: { type: 'string' },
    mixes: { type: 'string' },
    methods: { type: 'string' },
    threads: { type: 'string', default: '0' },
    validation: { type: 'boolean', default: false },
    worlds: { type: 'string', default: '3' },
    work: { type: 'string' },
  },
});
const [data] = positionals as (string | undefined)[];
if (data === undefined) {
  console.error(
    'Usage: npm run bench -- adaptation DATA [--validation [--worlds 3] [--work DIRECTORY]] [--bundle DIRECTORY] [--foreign DATA] [--splits 3] [--mixes NAMES] [--methods NAMES] [--threads N]',
  );
  process.exit(2);
}
const threads = Number(values.threads);
type SettingsChange = (chosen: AdaptationSettings) => Partial<AdaptationSettings>;
const compared: Record<string, SettingsChange> = {
  product: () => ({}),
  unguarded: () => ({ guard: 0 }),
  balanced: () => ({ rho: Infinity, guard: 0 }),
  'balanced, guarded': () => ({ rho: Infinity }),
  softmax: () => ({ rho: 0, guard: 0 }),
  'softmax, guarded': () => ({ rho: 0 }),
  'usual values': () => usualAdaptation,
};
/** One setting changed at a time. */
const considered: Record<string, SettingsChange> = {
  product: () => ({}),
  'usual values': () => usualAdaptation,
  'no guard': () => ({ guard: 0 }),
  'caution 1 in every pool': () => ({ caution: 1, relief: 0 }),
  'caution 0.7 in every pool': () => ({ caution: 0.7, relief: 0 }),
  'caution 1, relief 0.3': () => ({ caution: 1, relief: 0.3 }),
  'caution 1.3, relief 0.7': () => ({ caution: 1.3, relief: 0.7 }),
  'relief 0.6': () => ({ relief: 0.6 }),
  'relief 1.1': () => ({ relief: 1.1 }),
  'epsilon 2/3': ({ epsilon }) => ({ epsilon: (2 / 3) * epsilon }),
  'epsilon 5/6': ({ epsilon }) => ({ epsilon: (5 / 6) * epsilon, rho: (5 / 6) * epsilon }),
  'epsilon 4/3': ({ epsilon }) => ({ epsilon: (4 / 3) * epsilon }),
  'rho 0 (softmax)': () => ({ rho: 0 }),
  'rho 3 times': ({ rho }) => ({ rho: 3 * rho }),
  'rho infinite': () => ({ rho: Infinity }),
  '3 rounds': () => ({ rounds: 3 }),
  '10 rounds': () => ({ rounds: 10 }),
};
const trueLabels = 'true labels';
const all = values.validation ? considered : compared;
const methods = Object.fromEntries(
  (values.methods?.split(';') ?? Object.keys(all)).map((name) => [name, all[name] ?? fail(name)]),
);
const foreign = values.foreign === undefined ? null : await loadDataset(values.foreign);
const sized = new Set(['100', '300', '1000']);
const mixes =
  values.mixes?.split(';') ??
  poolMixes.filter((mix) => (foreign || mix !== 'a third foreign') && !(values.validation && sized.has(mix)));
const folder = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true });
});

const dataset = await loadDataset(data);
const trials: AdaptationTrial[] = [];
const bases: number[] = [];
const limits: ReadonlyMap<string, number>[] = [];
if (values.validation) {
  const work = values.work ?? folder;
  mkdirSync(work, { recursive: true });
  for (let fold = 0; fold < Number(values.worlds); fold++) {
    const { dataset: small, bundle } = await trainedFold(dataset, fold, work, threads);
    await judge(
      await AdaptationJudge.open(bundle, small, threads),
      Number(values.splits ?? 1),
      `fold ${fold + 1}`,
    );
  }
} else {
  const bundle = await readBundle(values.bundle ?? trained());
  await judge(await AdaptationJudge.open(bundle, dataset, threads), Number(values.splits ?? 3), 'test rows');
}
print();

async function judge(on: AdaptationJudge, splits: number, name: string): Promise<void> {
  for (let number = 1; number <= splits; number++) {
    const judged = await on.judgeSplit(number, mixes, methods, foreign);
    bases.push(judged.base);
    trials.push(...judged.trials);
    limits.push(judged.limits);
    console.error(`${name}: split ${number} of ${splits}`);
  }
  await on.release();
}

/** Mixes down and methods across for few methods, the other way round for many. */
function print(): void {
  console.log(
    `H without a pool: ${mean(bases).toFixed(1)} (${bases.map((one) => one.toFixed(1)).join(', ')}). What each pool adds to it, mean (least):`,
  );
  const cell = (mix: string, method: string): string => {
    const own =
      method === trueLabels
        ? limits.map((one) => one.get(mix)!)
        : trials.filter((one) => one.mix === mix && one.method === method).map(({ gain }) => gain);
    return `${signed(mean(own))} (${signed(Math.min(...own))})`;
  };
  const names = [...Object.keys(methods), trueLabels];
  printShares();
  if (values.validation) {
    const heads = mixes.map((mix) => mix.slice(0, 15).padStart(16));
    console.log(`${''.padEnd(28)}${heads.join('')}`);
    for (const method of names)
      console.log(`${method.padEnd(28)}${mixes.map((mix) => cell(mix, method).padStart(16)).join('')}`);
    return;
  }
  console.log(`${''.padEnd(40)}${names.map((one) => one.padStart(20)).join('')}`);
  for (const mix of mixes) {
    const { pictures } = trials.find((one) => one.mix === mix)!;
    console.log(
      `${`  ${mix} (${pictures})`.padEnd(40)}${names.map((name) => cell(mix, name).padStart(20)).join('')}`,
    );
  }
}

/** What the first method takes the share of unseen pictures for, and what H would gain if the bias followed it. */
function printShares(): void {
  const [method] = Object.keys(methods);
  console.log(
    `Share of unseen pictures in the pool, in truth and as ${method} estimates it; H if the bias followed by ${shareStrengths.join(', ')} of its log-odds:`,
  );
  for (const mix of mixes) {
    const own = trials.filter((one) => one.mix === mix && one.method === method);
    const truth = mean(own.map(({ unseenShare }) => unseenShare));
    const estimate = mean(own.map(({ adaptation }) => adaptation.unseenShare));
    const gains = shareStrengths.map((_, i) => signed(mean(own.map(({ gainsByShare }) => gainsByShare[i]))));
    console.log(
      `${`  ${mix}`.padEnd(36)}${(100 * truth).toFixed(0).padStart(4)} %, ${(100 * estimate).toFixed(0)} %   ${signed(mean(own.map(({ gain }) => gain)))} as it is; ${gains.join(', ')}`,
    );
  }
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

function fail(name: string): never {
  console.error(`There is no method "${name}"; there are ${Object.keys(all).join('; ')}.`);
  process.exit(2);
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(1)}`;
}
