/**
 * How far answers can be trusted: calibration, pictures of none of the classes, and what a dry run promises:
 *   npm run bench -- trust DATA [--seeds 1,2,3] [--bundles DIR,…] [--hidden DIR,…] [--flags DATA] [--flags-bundle models/demo]
 *   npm run bench -- trust DATA --validation [--worlds 5]
 * Bundles are trained here, one for each seed with all classes known and one with the unseen ones hidden, unless they are given. Everything was chosen
 * on validation classes while training; test rows are judged here for the first time. --validation prints the candidates that were compared, on folds
 * made of the seen classes alone.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readBundle } from '../core/bundle/read.js';
import type { Bundle } from '../core/bundle/bundle.js';
import { RuntimeFitter } from '../core/fitting/fitter.js';
import { silent } from '../core/progress.js';
import { Random } from '../core/random.js';
import { usualUnknownAt } from '../core/head/verdict.js';
import { rowOf } from '../core/matrix.js';
import { percent } from '../core/percent.js';
import { mean } from '../core/mean.js';
import { makeDataset } from '../demo/flags/dataset.js';
import type { Dataset } from '../trainer/datasets/dataset.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { testRows } from '../trainer/evaluation/judge-rows.js';
import { answersOf, areaUnderCurve, errorOf, type Answered, type Served } from './trust/answers.js';
import { correlation, correlationInterval } from './trust/correlation.js';
import { noveltyCost } from './trust/cost.js';
import { refusedShares } from './trust/implausible.js';
import { reportValidation } from './trust/validation.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1,2,3' },
    bundles: { type: 'string' },
    hidden: { type: 'string' },
    flags: { type: 'string' },
    'flags-bundle': { type: 'string', default: 'models/demo' },
    validation: { type: 'boolean', default: false },
    worlds: { type: 'string', default: '5' },
  },
});
const [data] = positionals as (string | undefined)[];
if (data === undefined) {
  console.error(
    'Usage: npm run bench -- trust DATA [--seeds 1,2,3] [--bundles DIR,…] [--hidden DIR,…] [--flags DATA]\n' +
      '       npm run bench -- trust DATA --validation [--worlds 5]',
  );
  process.exit(2);
}
const dataset = await loadDataset(data);
if (values.validation) {
  await reportValidation(dataset, Number(values.worlds));
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true });
});
const seeds = values.seeds.split(',');
const flags = values.flags === undefined ? await drawnFlags() : await loadDataset(values.flags);
const flagsBundle = await readBundle(values['flags-bundle']);
const rows = testRows(dataset);
const names = Array.from(rows, (row) => dataset.classNames[dataset.labels[row]]);
const unseenNames = new Set(Array.from(dataset.unseen, (label) => dataset.classNames[label]));

for (const [i, seed] of seeds.entries()) {
  console.log(`Seed ${seed}`);
  const bundle = await readBundle(values.bundles?.split(',')[i] ?? trained(seed, []));
  const known = await answersOf({ bundle }, dataset.features, rows);
  reportCalibration('all classes known', known, names);
  await reportNear(bundle);
  await reportFar('drawn flags', { bundle }, known, flags);
  const hidden = await readBundle(values.hidden?.split(',')[i] ?? trained(seed, ['--hide-unseen']));
  await reportRuntime(hidden);
}
console.log('Flags');
const flagRows = testRows(flags);
const flagAnswers = await answersOf({ bundle: flagsBundle }, flags.features, flagRows);
const flagNames = Array.from(flagRows, (row) => flags.classNames[flags.labels[row]]);
console.log(`  calibration error ${percent(errorOf(flagAnswers, flagNames))} % (limit 5 %)`);
await reportFar(dataset.name, { bundle: flagsBundle }, flagAnswers, dataset);
console.log('Vectors that no class has, refused by the dry run (limit 95 %):');
const real = Array.from(dataset.unseen, (label) => Array.from(rowOf(dataset.attributes, label)));
const [first] = values.bundles?.split(',') ?? [join(folder, `bundle-${seeds[0]}`)];
const { manifest } = await readBundle(first);
for (const [kind, share] of Object.entries(refusedShares(manifest, real)))
  console.log(`  ${kind.padEnd(34)} ${percent(share)} %`);
console.log(await noveltyCost(first));

function trained(seed: string, options: readonly string[]): string {
  const out = join(folder, `${options.length > 0 ? 'hidden' : 'bundle'}-${seed}`);
  const main = new URL('../cli/main.js', import.meta.url).pathname;
  const args = ['train', '--data', data!, '--out', out, '--seed', seed, '--no-report', ...options];
  const { status } = spawnSync(process.execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`training ended with ${String(status)}`);
  return out;
}

/** Test pictures of the demonstration, drawn here. */
function drawnFlags(): Promise<Dataset> {
  return makeDataset({ train: 0, testSeen: 3, testUnseen: 8 }, 1, silent);
}

function reportCalibration(what: string, answers: readonly Answered[], own: readonly string[]): void {
  const part = (isUnseen: boolean): string => {
    const picked = Array.from(own.keys()).filter((i) => unseenNames.has(own[i]) === isUnseen);
    return percent(
      errorOf(
        picked.map((i) => answers[i]),
        picked.map((i) => own[i]),
      ),
    );
  };
  const right = answers.filter((answer, i) => answer.class === own[i]).length / answers.length;
  console.log(
    `  ${what}: calibration error ${percent(errorOf(answers, own))} % (limit 4 %), seen ${part(false)}, unseen ${part(true)} (limit 7 %); ` +
      `mean probability ${percent(mean(answers.map(({ probability }) => probability)))} %, right ${percent(right)} %`,
  );
}

function detection(known: readonly Answered[], fresh: readonly Answered[]): string {
  const [a, b] = [known, fresh].map((answers) => answers.map(({ novelty }) => novelty));
  const called = (list: readonly number[]): number =>
    list.filter((one) => one >= usualUnknownAt).length / list.length;
  const byProbability = areaUnderCurve(
    known.map(({ probability }) => -probability),
    fresh.map(({ probability }) => -probability),
  );
  return `AUROC ${areaUnderCurve(a, b).toFixed(4)} (by the largest probability ${byProbability.toFixed(3)}), found ${percent(called(b))} % with ${percent(called(a))} % false alarms`;
}

/** Half of the unseen classes left out altogether, in four draws. */
async function reportNear(bundle: Bundle): Promise<void> {
  const random = Random.stream(1, 'near');
  for (let draw = 0; draw < 4; draw++) {
    const without = new Set(
      Array.from(
        random.shuffle(dataset.unseen.slice()).subarray(0, unseenNames.size / 2),
        (label) => dataset.classNames[label],
      ),
    );
    const answers = await answersOf({ bundle, without }, dataset.features, rows);
    const [known, fresh] = [false, true].map((isNew) =>
      answers.filter((_, i) => without.has(names[i]) === isNew),
    );
    console.log(`  near unknowns, draw ${draw + 1}: ${detection(known, fresh)}`);
  }
}

async function reportFar(
  what: string,
  served: Served,
  known: readonly Answered[],
  other: Dataset,
): Promise<void> {
  const fresh = await answersOf(served, other.features, testRows(other));
  console.log(`  far unknowns, ${what}: ${detection(known, fresh)}`);
}

/** The unseen classes added while serving: their calibration, and what dry runs promised against what they reach. */
async function reportRuntime(bundle: Bundle): Promise<void> {
  const classes = Array.from(dataset.unseen, (label) => ({
    name: dataset.classNames[label],
    attributes: Array.from(rowOf(dataset.attributes, label)),
  }));
  const fitter = await RuntimeFitter.open(bundle);
  const fit = await fitter.fit(classes);
  const fitted = classes.map((one, i) => ({ ...one, row: fit.rows[i] }));
  const added = fitted.map(({ row, ...one }) => ({ described: { ...one, seen: false, runtime: true }, row }));
  const answers = await answersOf({ bundle, added }, dataset.features, rows);
  reportCalibration('unseen classes added at runtime', answers, names);
  const falseAlarms = answers.filter(({ novelty }) => novelty >= usualUnknownAt).length / answers.length;
  const expected: number[] = [];
  const promised: number[] = [];
  const reached: number[] = [];
  for (const one of fitted) {
    const dryRun = await fitter.confusion(one, fitted);
    expected.push(dryRun.expected ?? NaN);
    promised.push(dryRun.recognised);
    const own = Array.from(names.keys()).filter((i) => names[i] === one.name);
    reached.push(own.filter((i) => answers[i].class === one.name).length / own.length);
  }
  await fitter.release();
  const [from, to] = correlationInterval(expected, reached, Random.stream(1, 'correlation'));
  console.log(
    `  false alarms ${percent(falseAlarms)} %; dry runs of ${classes.length} classes: promised ${percent(mean(promised))} %, expected ${percent(mean(expected))} %, ` +
      `reached ${percent(mean(reached))} % (limit 5 points); correlation with what was reached ${correlation(expected, reached).toFixed(2)}, 95 % of resampled classes ${from.toFixed(2)} to ${to.toFixed(2)} (limit 0.6; of the promise alone ${correlation(promised, reached).toFixed(2)})`,
  );
}
