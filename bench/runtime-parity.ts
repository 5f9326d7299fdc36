/**
 * What adding the unseen classes of a dataset at runtime costs in accuracy, against a head refitted from the start with the same
 * generator, and whether the order of their coming matters:
 *   npm run bench -- runtime-parity DATA [--seeds 3] [--bundle DIRECTORY ...]
 * Bundles are trained with the unseen classes hidden (preset cub), or taken ready-made, one for each seed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bundle } from '../core/bundle/bundle.js';
import { readBundle } from '../core/bundle/read.js';
import { encodeAttributes } from '../core/head/attribute-encoder.js';
import { Generator } from '../core/head/generator.js';
import { RuntimeFitter } from '../core/fitting/fitter.js';
import type { RuntimeClass } from '../core/fitting/runtime-class.js';
import { appendHeadRows } from '../core/head/head-rows.js';
import type { HeadRow } from '../core/head/head-table.js';
import type { LinearHead } from '../core/head/scorer.js';
import { matrix, rowOf } from '../core/matrix.js';
import { mean } from '../core/mean.js';
import { percent } from '../core/percent.js';
import { silent } from '../core/progress.js';
import { Random } from '../core/random.js';
import { headSchema } from '../trainer/configuration.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { OnnxEngine } from '../trainer/engine/onnx/engine.js';
import { biasOf } from '../trainer/evaluation/evaluate-bundle.js';
import { evaluateRows, judgeModel, type Evaluation } from '../trainer/evaluation/evaluate.js';
import { testRows } from '../trainer/evaluation/judge-rows.js';
import { fitHead } from '../trainer/head/fit.js';
import { headTrainingSet } from '../trainer/head/training-set.js';
import { modelOfBundle } from '../trainer/saving/restore.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: 'string', default: '3' }, bundle: { type: 'string', multiple: true } },
});
if (positionals.length !== 1) {
  console.error('Usage: npm run bench -- runtime-parity DATA [--seeds 3] [--bundle DIRECTORY ...]');
  process.exit(2);
}
const [data] = positionals;
const dataset = await loadDataset(data, {});
const folder = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
const bundles = values.bundle ?? Array.from({ length: Number(values.seeds) }, (_, i) => trained(i + 1));
const results = new Map<string, Evaluation[]>();
for (const path of bundles) {
  console.log(`\n${path}`);
  await compare(await readBundle(path));
}
rmSync(folder, { recursive: true });
if (bundles.length > 1) {
  console.log(`\nMean over ${bundles.length} bundles`);
  for (const [name, evaluations] of results) print(name, evaluations);
}

function trained(seed: number): string {
  const out = join(folder, `seed-${seed}`);
  const main = new URL('../cli/main.js', import.meta.url).pathname;
  const options = [
    'train',
    '--data',
    data,
    '--out',
    out,
    '--preset',
    'cub',
    '--hide-unseen',
    '--seed',
    String(seed),
  ];
  const { status } = spawnSync(process.execPath, [main, ...options], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`training ended with ${String(status)}`);
  return out;
}

async function compare(bundle: Bundle): Promise<void> {
  const unseen = Array.from(dataset.unseen, (label) => ({
    name: dataset.classNames[label],
    attributes: Array.from(rowOf(dataset.attributes, label)),
  }));
  const judge = await judgeOf(bundle, unseen);
  await judge('refitted from the start', await refitted(bundle, unseen));
  await judge('runtime, all at once', await inSteps(bundle, unseen, unseen.length));
  await judge('runtime, one by one', await inSteps(bundle, unseen, 1));
  for (const seed of [1, 2]) {
    const order = new Random(seed).shuffle(Array.from(unseen.keys())).map((i) => unseen[i]);
    await judge(`runtime, shuffled ${seed}`, await inSteps(bundle, order, 1), order);
  }
}

/** Classes handed over so many at a time; the head over the bundle's classes and then these. */
async function inSteps(bundle: Bundle, order: readonly RuntimeClass[], step: number): Promise<LinearHead> {
  const fitter = await RuntimeFitter.open(bundle);
  let rows: readonly HeadRow[] = [];
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  for (let end = step; end <= order.length; end += step) {
    const known = order.slice(0, end).map((one, i) => (i < rows.length ? { ...one, row: rows[i] } : one));
    ({ rows } = await fitter.fit(known));
  }
  const { user, system } = process.cpuUsage(cpu);
  const took = (performance.now() - started) / (order.length / step);
  console.log(
    `  (${took.toFixed(0)} ms a call, ${((user + system) / 1000 / (order.length / step)).toFixed(0)} ms of processor)`,
  );
  await fitter.release();
  return appendHeadRows(bundle, rows);
}

/** All rows fitted together by the trainer, with the bundle's generator and real rows. */
async function refitted(bundle: Bundle, unseen: readonly RuntimeClass[]): Promise<LinearHead> {
  const { manifest, replay } = bundle;
  const described = [...manifest.classes, ...unseen].map(({ attributes }) => attributes);
  const attributes = encodeAttributes(
    manifest.attributeEncoding,
    matrix(described.length, manifest.attributes.length, Float32Array.from(described.flat())),
  );
  const labels = Array.from(described.keys());
  const count = manifest.classes.length;
  const settings = headSchema.parse(manifest.configuration.head);
  const generator = await Generator.open(bundle);
  const set = await headTrainingSet(
    {
      attributes,
      features: replay.features,
      labels: replay.labels,
      seen: Int32Array.from(labels.slice(0, count)),
      unseen: Int32Array.from(labels.slice(count)),
    },
    generator,
    settings,
    {
      noise: Random.stream(manifest.seed, 'head.noise'),
      residuals: Random.stream(manifest.seed, 'head.residuals'),
    },
  );
  await generator.release();
  return fitHead(new OnnxEngine({}), set, settings, silent);
}

async function judgeOf(bundle: Bundle, unseen: readonly RuntimeClass[]) {
  const model = await modelOfBundle(bundle);
  return async (name: string, head: LinearHead, order = unseen): Promise<void> => {
    const names = [...bundle.manifest.classes, ...order].map((one) => one.name);
    const columns = Int32Array.from(dataset.classNames, (wanted) => names.indexOf(wanted));
    const judged = await judgeModel({ ...model, head }, dataset, testRows(dataset), columns);
    const evaluation = evaluateRows(judged, dataset, biasOf(bundle.manifest, dataset));
    results.set(name, [...(results.get(name) ?? []), evaluation]);
    print(name, [evaluation]);
  };
}

function print(name: string, evaluations: readonly Evaluation[]): void {
  const shown = (pick: (evaluation: Evaluation) => number | null): string =>
    percent(mean(evaluations.map((one) => pick(one)!)), 2).padStart(6);
  console.log(
    `  ${name.padEnd(26)} H ${shown((one) => one.generalized.harmonicMean)}` +
      `   unseen ${shown((one) => one.generalized.unseenAccuracy)}   seen ${shown((one) => one.generalized.seenAccuracy)}` +
      `   H at its best bias ${shown((one) => one.upperBound.harmonicMean)}   top-1 ${shown((one) => one.standard.top1)}`,
  );
}
