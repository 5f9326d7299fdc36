/**
 * How long one class more takes at runtime, against refitting the whole head, in one run:
 *   npm run bench -- runtime-fit BUNDLE [most classes: 10000] [threads: all cores]
 * On a machine that does other work at the same time, one thread is quicker than all.
 * The figures in docs/measured.md come from a bundle of CUB trained with --hide-unseen. Runtime classes are made up: the attributes
 * of two classes of the bundle, mixed.
 */
import type { Bundle } from '../core/bundle/bundle.js';
import { readBundle } from '../core/bundle/read.js';
import { encodeAttributes } from '../core/head/attribute-encoder.js';
import { directRows } from '../core/head/feature-map.js';
import { Generator } from '../core/head/generator.js';
import { RuntimeFitter } from '../core/fitting/fitter.js';
import type { RuntimeClass } from '../core/fitting/runtime-class.js';
import { matrix, rowOf } from '../core/matrix.js';
import { silent } from '../core/progress.js';
import { Random } from '../core/random.js';
import { headSchema } from '../trainer/configuration.js';
import { OnnxEngine } from '../trainer/engine/onnx/engine.js';
import { fitHead } from '../trainer/head/fit.js';
import { headTrainingSet } from '../trainer/head/training-set.js';
import { median } from './quantiles.js';

const [path, most = '10000', threadCount = '0'] = process.argv.slice(2);
const threads = Number(threadCount);
if (!path) {
  console.error('Usage: npm run bench -- runtime-fit BUNDLE [most classes] [threads]');
  process.exit(2);
}
const bundle = await readBundle(path);
const base = bundle.manifest.classes.length;
const many = Number(most);
const random = new Random(1);

const added = await timeOfOneMore(bundle, await fitted(bundle, mixed(49)), 15);
console.log(`${base} classes of the bundle and 49 at runtime, one more: ${show(added)}`);
const refit = await timeOfRefit(bundle, mixed(50));
console.log(
  `the whole head refitted:  ${refit.toFixed(0)} ms, ${(refit / added.wall).toFixed(0)} times as long`,
);

if (many > base + 50) {
  // Rows as they might be stored, near their minimum but not at it: every neighbour of a new class has some way to go.
  const rows = await prototypes(bundle, mixed(many - base));
  const crowded = await timeOfOneMore(bundle, rows, 5);
  console.log(`${base} of the bundle and ${rows.length} at runtime, one more: ${show(crowded)}`);
  const large = await enlarged(bundle, many);
  const beside = await timeOfOneMore(large, [], 5);
  console.log(`${many} of the bundle, one more: ${show(beside)}`);
  console.log(`most memory: ${(process.resourceUsage().maxRSS / 1024 / 1024).toFixed(2)} GiB`);
}

interface Times {
  readonly setUp: number; // opening, and the first fit of classes as they are stored
  readonly wall: number; // medians, of one class more
  readonly processor: number; // of all threads: what other work on the machine hardly changes
}

function show({ setUp, wall, processor }: Times): string {
  const [first, more, busy] = [setUp, wall, processor].map((time) => time.toFixed(0));
  return `${more} ms (median), ${busy} ms of processor; set up in ${first} ms`;
}

async function timeOfOneMore(to: Bundle, known: readonly RuntimeClass[], trials: number): Promise<Times> {
  const opened = performance.now();
  const fitter = await RuntimeFitter.open(to, { threads });
  await fitter.fit(known);
  const setUp = performance.now() - opened;
  const walls: number[] = [];
  const processors: number[] = [];
  for (const [trial, candidate] of mixed(trials + 2, 'candidate').entries()) {
    await fitter.fit(known); // as it was before the candidate
    const [started, busy] = [performance.now(), process.cpuUsage()];
    await fitter.fit([...known, candidate]);
    if (trial < 2) continue; // not yet compiled
    walls.push(performance.now() - started);
    const { user, system } = process.cpuUsage(busy);
    processors.push((user + system) / 1000);
  }
  await fitter.release();
  return { setUp, wall: median(walls), processor: median(processors) };
}

async function fitted(to: Bundle, classes: readonly RuntimeClass[]): Promise<RuntimeClass[]> {
  const fitter = await RuntimeFitter.open(to, { threads });
  const { rows } = await fitter.fit(classes);
  await fitter.release();
  return classes.map((one, i) => ({ ...one, row: rows[i] }));
}

async function timeOfRefit({ manifest, replay }: Bundle, classes: readonly RuntimeClass[]): Promise<number> {
  const settings = headSchema.parse(manifest.configuration.head);
  const generator = await Generator.open(bundle);
  const started = performance.now();
  const all = [...manifest.classes, ...classes];
  const labels = Int32Array.from(all.keys());
  const [seen, unseen] = [labels.subarray(0, base), labels.subarray(base)];
  const data = { attributes: encoded(all), features: replay.features, labels: replay.labels, seen, unseen };
  const set = await headTrainingSet(data, generator, settings, { noise: random, residuals: random });
  await fitHead(new OnnxEngine({ threads }), set, settings, silent);
  const took = performance.now() - started;
  await generator.release();
  return took;
}

async function prototypes(to: Bundle, classes: readonly RuntimeClass[]): Promise<RuntimeClass[]> {
  const generator = await Generator.open(to);
  const drawn = directRows(await generator.draw(encoded(classes), [...classes.keys()], 1, random), 1);
  await generator.release();
  return classes.map((one, i) => ({ ...one, row: { weights: rowOf(drawn, i), bias: 0 } }));
}

/** The bundle with made-up seen classes beside its own: their rows are prototypes, and each has one real row. */
async function enlarged(from: Bundle, count: number): Promise<Bundle> {
  const rows = await prototypes(from, mixed(count, 'base'));
  const weights = matrix(count, from.weights.columns);
  const features = matrix(count, from.weights.columns);
  rows.forEach(({ row }, i) => {
    rowOf(weights, i).set(row!.weights);
    rowOf(features, i).set(row!.weights.map((value) => value + random.normal() / Math.sqrt(weights.columns)));
  });
  const classes = rows.map(({ name, attributes }) => ({ name, attributes: [...attributes], seen: true }));
  return {
    ...from,
    manifest: { ...from.manifest, classes },
    weights,
    bias: new Float32Array(count),
    replay: { features, labels: Int32Array.from(classes.keys()) },
  };
}

function encoded(classes: readonly { readonly attributes: readonly number[] }[]) {
  const { attributeEncoding, attributes } = bundle.manifest;
  const values = matrix(classes.length, attributes.length);
  classes.forEach((one, i) => {
    rowOf(values, i).set(one.attributes);
  });
  return encodeAttributes(attributeEncoding, values);
}

function mixed(count: number, prefix = 'runtime'): RuntimeClass[] {
  const { classes } = bundle.manifest;
  return Array.from({ length: count }, (_, i) => {
    const [one, other] = [classes[random.integer(base)], classes[random.integer(base)]];
    const attributes = one.attributes.map((value, k) =>
      random.uniform() < 0.5 ? value : other.attributes[k],
    );
    return { name: `${prefix}-${i}`, attributes };
  });
}
