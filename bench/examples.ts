/**
 * A few labelled pictures of each unseen class, given at runtime beside its attributes, or instead of them:
 *   npm run bench -- examples DATA [--bundle DIRECTORY] [--draws 3] [--threads N]
 *   npm run bench -- examples DATA --validation FOLD [--work DIRECTORY] …   on a fold of the training rows, where seen classes play unseen
 * The bundle is one trained with the unseen classes hidden (unseen train --hide-unseen), or is trained here. Judged on the test rows that were
 * not given, at the bias that the bundle chose on validation classes; in brackets at the best bias of all.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readBundle } from '../core/bundle/read.js';
import { describeEvidence } from '../core/fitting/evidence.js';
import { consolidate } from '../core/fitting/consolidation.js';
import { RuntimeFitter } from '../core/fitting/fitter.js';
import type { RuntimeClass } from '../core/fitting/runtime-class.js';
import { servingBiases } from '../core/fitting/serving-bias.js';
import { FeatureMapper, headRows } from '../core/head/feature-map.js';
import { appendHeadRows } from '../core/head/head-rows.js';
import { Scorer, type LinearHead } from '../core/head/scorer.js';
import { rowOf, takeRows } from '../core/matrix.js';
import { Random } from '../core/random.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { hiddenFoldBundle, validationFold } from './adaptation/validation-folds.js';
import { judgedLine, judgeScores, type Judged } from './examples/judge.js';
import { median } from './quantiles.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bundle: { type: 'string' },
    draws: { type: 'string', default: '3' },
    threads: { type: 'string', default: '0' },
    validation: { type: 'string' }, // number of the fold
    work: { type: 'string' },
  },
});
const [data] = positionals as (string | undefined)[];
if (data === undefined) {
  console.error('Usage: npm run bench -- examples DATA [--bundle DIRECTORY] [--draws 3] [--threads N]');
  process.exit(2);
}
const draws = Number(values.draws);
const threads = Number(values.threads);
const whole = await loadDataset(data);
const fold = values.validation === undefined ? null : Number(values.validation);
const dataset = fold === null ? whole : validationFold(whole, fold);
const folder = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true });
});
const bundle =
  fold === null
    ? await readBundle(values.bundle ?? trained())
    : await hiddenFoldBundle(whole, fold, values.work ?? folder, threads);
const { manifest } = bundle;
if (manifest.classes.some(({ seen }) => !seen)) {
  console.error(
    'The bundle knows the unseen classes, which would compete twice. Train one with --hide-unseen.',
  );
  process.exit(2);
}
const mapper = await FeatureMapper.open(bundle.featureMap, manifest.featureMap.mappedWidth);
const scorer = await Scorer.open();
const { labels, splits } = dataset;
const own = new Map(manifest.classes.map(({ name }, c) => [name, c]));

interface Given {
  /** What is known of the class with this label. */
  readonly attributes: (label: number, random: Random) => number[];
  readonly pictures: number;
  /** Of the pictures of each class, how many are of another one. */
  readonly wrong?: number;
  /** All head rows, those of the bundle's classes too, are fitted from the start with the same data rows. */
  readonly refitted?: boolean;
}

const all = (label: number): number[] => Array.from(rowOf(dataset.attributes, label));
const none = (label: number): number[] => all(label).map(() => NaN);
const some =
  (share: number) =>
  (label: number, random: Random): number[] =>
    all(label).map((value) => (random.uniform() < share ? value : NaN));

const evidence = manifest.head.evidence;
console.log(
  evidence
    ? `Chosen on validation classes: ${describeEvidence(evidence)}.`
    : 'The bundle does not say what pictures are worth: usual values are used.',
);
console.log(
  `Means over ${draws} draws, in %: H at the bundle's bias (at the best one), unseen, seen; top-1 among unseen`,
);
for (const pictures of [0, 1, 2, 5, 10, 20])
  await report(`attributes and ${pictures} pictures`, { attributes: all, pictures });
await report('attributes and 5 pictures, all classes refitted', {
  attributes: all,
  pictures: 5,
  refitted: true,
});
await report('attributes and 5 pictures, 1 of them wrong', { attributes: all, pictures: 5, wrong: 1 });
for (const pictures of [1, 5, 10]) await report(`${pictures} pictures alone`, { attributes: none, pictures });
await report('half of the attributes', { attributes: some(0.5), pictures: 0 });
await report('a quarter of the attributes', { attributes: some(0.25), pictures: 0 });
await reportTime();

function trained(): string {
  const out = join(folder, 'bundle');
  const main = new URL('../cli/main.js', import.meta.url).pathname;
  const options = ['train', '--data', data!, '--out', out, '--hide-unseen', '--no-report'];
  const { status } = spawnSync(process.execPath, [main, ...options], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`training ended with ${String(status)}`);
  return out;
}

/** What is known of every unseen class, and the rows that were given away for it. */
function knowledge({ attributes, pictures, wrong = 0 }: Given, draw: number) {
  const random = Random.stream(draw, 'examples');
  const unseen = Array.from(dataset.unseen);
  const rowsOf = unseen.map((label) =>
    random.shuffle(splits.testUnseen.filter((row) => labels[row] === label)),
  );
  const chosen = rowsOf.map((rows, c) => [
    ...rows.subarray(0, pictures - wrong),
    ...rowsOf[(c + 1) % rowsOf.length].subarray(pictures - wrong, pictures),
  ]);
  const classes = unseen.map((label, c): RuntimeClass => ({
    name: dataset.classNames[label],
    attributes: attributes(label, random),
    ...(pictures > 0 && { examples: takeRows(dataset.features, chosen[c]) }),
  }));
  return { classes, given: new Set(chosen.flat()) };
}

async function report(name: string, given: Given): Promise<void> {
  const found: Judged[] = [];
  for (let draw = 1; draw <= draws; draw++) {
    const { classes, given: away } = knowledge(given, draw);
    const head = await headOf(classes, given.refitted ?? false);
    const biases = servingBiases(manifest, classes);
    const columns = new Map([...own, ...classes.map(({ name: one }, c) => [one, own.size + c] as const)]);
    const judged = [...splits.testSeen, ...splits.testUnseen.filter((row) => !away.has(row))];
    const mapped = headRows(await mapper.map(dataset.features, judged), manifest.head.temperature);
    const scores = await scorer.score(head, mapped);
    const labelOf = judged.map((row) => columns.get(dataset.classNames[labels[row]])!);
    const isAsked = Array.from(biases.keys()).map((c) => c >= own.size);
    found.push(judgeScores(scores, labelOf, biases, isAsked));
  }
  console.log(judgedLine(name, found));
}

async function headOf(classes: readonly RuntimeClass[], refitted: boolean): Promise<LinearHead> {
  if (refitted) {
    const { base, rows } = await consolidate(bundle, classes, { threads });
    return appendHeadRows(base, rows);
  }
  const fitter = await RuntimeFitter.open(bundle, { threads });
  const { rows } = await fitter.fit(classes);
  await fitter.release();
  return appendHeadRows(bundle, rows);
}

/** Five pictures more for one class, beside all others. */
async function reportTime(): Promise<void> {
  const { classes } = knowledge({ attributes: all, pictures: 5 }, 1);
  const plain = classes.map(({ name, attributes }): RuntimeClass => ({ name, attributes }));
  const fitter = await RuntimeFitter.open(bundle, { threads: 1 });
  const { rows } = await fitter.fit(plain);
  const fitted = plain.map((one, c) => ({ ...one, row: rows[c] }));
  const times: number[] = [];
  for (let c = 0; c < Math.min(15, classes.length); c++) {
    const started = performance.now();
    await fitter.fit(fitted.map((one, i) => (i === c ? classes[c] : one)));
    times.push(performance.now() - started);
    await fitter.fit(fitted);
  }
  await fitter.release();
  console.log(
    `Five pictures for one class beside ${own.size + classes.length - 1}: median ${median(times).toFixed(0)} ms on one core (limit 200).`,
  );
}
