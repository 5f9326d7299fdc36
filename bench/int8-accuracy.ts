/**
 * What the int8 network costs in accuracy: one bundle, trained on features of the float network, judged on the same pictures with the
 * features of each network.
 *   npm run bench -- int8-accuracy CUB_DIR BUNDLE [--every N] [--int8 NAME] [--threads N]
 * CUB_DIR holds a dataset, test-pictures/ and test-pictures.csv (file,class,split,row: the row of the dataset that each is). --every 10
 * takes every tenth picture. The cosine between the features of both networks is printed for drawn flags, too.
 */
import { parseArgs } from 'node:util';
import { extractFeatures } from '../core/backbone/extract-features.js';
import { cosine } from '../core/backbone/quantisation/check/cosine.js';
import { readBundle } from '../core/bundle/read.js';
import { matrix, rowOf, takeRows, type Matrix } from '../core/matrix.js';
import { mean } from '../core/mean.js';
import { silent } from '../core/progress.js';
import { Random } from '../core/random.js';
import { letterFlags } from '../demo/flags/letters.js';
import { renderFlag } from '../demo/flags/render.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { evaluateBundle } from '../trainer/evaluation/evaluate-bundle.js';
import { quantile } from './quantiles.js';
import { testPictures } from './serving/test-pictures.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '1' },
    int8: { type: 'string', default: 'resnet50-imagenet-int8' },
    threads: { type: 'string', default: '0' }, // all cores
  },
});
if (positionals.length !== 2) {
  console.error(
    'Usage: npm run bench -- int8-accuracy CUB_DIR BUNDLE [--every N] [--int8 NAME] [--threads N]',
  );
  process.exit(2);
}
const [directory, bundlePath] = positionals;
const backbones = ['resnet50-imagenet', values.int8];
const watcher = { ...silent, note: console.error };
const threads = Number(values.threads);
const bundle = await readBundle(bundlePath);
const dataset = await loadDataset(directory);
const pictures = testPictures(directory).filter((_, i) => i % Number(values.every) === 0);
const files = pictures.map(({ file }) => file);
const rows = new Set(pictures.map(({ row }) => row));

async function featuresOf(images: readonly (string | Buffer)[]): Promise<Matrix[]> {
  const found: Matrix[] = [];
  for (const backbone of backbones) {
    const { features, problems } = await extractFeatures(images, { backbone, watcher, threads });
    if (problems.length > 0) throw new Error(problems[0].reason);
    found.push(features);
  }
  return found;
}

/** The dataset with these features in place of its own, and only the pictures' rows to judge. */
function judgedOn(features: Matrix) {
  const all = takeRows(
    dataset.features,
    Int32Array.from({ length: dataset.features.rows }, (_, i) => i),
  );
  const own = matrix(all.rows, all.columns, all.data.slice());
  for (const [i, { row }] of pictures.entries()) rowOf(own, row).set(rowOf(features, i));
  const among = (split: Int32Array): Int32Array => split.filter((row) => rows.has(row));
  const { train, testSeen, testUnseen } = dataset.splits;
  const splits = { train, testSeen: among(testSeen), testUnseen: among(testUnseen) };
  return evaluateBundle(bundle, { ...dataset, features: own, splits });
}

function showCosines(what: string, [float, int8]: readonly Matrix[]): void {
  const cosines = Array.from({ length: float.rows }, (_, i) => cosine(rowOf(float, i), rowOf(int8, i)));
  console.log(
    `  cosine of features, ${what}: mean ${mean(cosines).toFixed(4)} (at least 0.995), 5th percentile ` +
      `${quantile(cosines, 0.05).toFixed(4)} (at least 0.985), least ${Math.min(...cosines).toFixed(4)}`,
  );
}

const ofPictures = await featuresOf(files);
const [float, int8] = [await judgedOn(ofPictures[0]), await judgedOn(ofPictures[1])];
const random = Random.stream(1, 'int8');
const flags: Buffer[] = [];
for (const flag of letterFlags) for (let i = 0; i < 4; i++) flags.push(await renderFlag(flag, random));

console.log(`${bundlePath} on ${pictures.length} pictures of ${dataset.name}, ${backbones.join(' and ')}`);
const line = (what: string, a: number | null, b: number | null): void => {
  const [first, second] = [100 * a!, 100 * b!]; // CUB has test rows of both kinds
  console.log(
    `  ${what.padEnd(30)} float ${first.toFixed(2)}, int8 ${second.toFixed(2)}: ${(second - first).toFixed(2)} (within 0.5)`,
  );
};
line('H, chosen bias', float.generalized.harmonicMean, int8.generalized.harmonicMean);
line('top-1 among unseen classes', float.standard.top1, int8.standard.top1);
line('unseen, all classes compete', float.generalized.unseenAccuracy, int8.generalized.unseenAccuracy);
line('seen, all classes compete', float.generalized.seenAccuracy, int8.generalized.seenAccuracy);
showCosines(`${pictures.length} pictures`, ofPictures);
showCosines(`${flags.length} drawn flags`, await featuresOf(flags));
