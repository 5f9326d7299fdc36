/**
 * Training on int8 features: the same pictures through both networks, a model trained on the features of each, and every model judged on
 * the features of both. The diagonal is what users get (trained and served with one network); the rest is --backbone-variant.
 *   npm run bench -- int8-training [CUB_DIR] [--seeds N] [--int8 NAME]
 * Without a folder: the flags and the settings of the demonstration (models/demo). CUB_DIR holds a dataset, test-pictures/ and
 * test-pictures.csv, as for int8-accuracy: of its training pictures there are only features, so two thirds of the seen classes' test
 * pictures are trained on, with the default settings, and the rest is judged.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { extractFeatures } from '../core/backbone/extract-features.js';
import { readBundle } from '../core/bundle/read.js';
import { silent } from '../core/progress.js';
import { mean } from '../core/mean.js';
import { demonstrationConfiguration } from '../demo/flags/configuration.js';
import { demonstrationCounts, demonstrationDataset } from '../demo/flags/dataset.js';
import { drawPictures, planPictures } from '../demo/flags/pictures.js';
import { configurationSchema, type Configuration } from '../trainer/configuration.js';
import type { Dataset } from '../trainer/datasets/dataset.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { openEngine } from '../trainer/engine/open.js';
import { evaluateBundle } from '../trainer/evaluation/evaluate-bundle.js';
import { train } from '../trainer/train.js';
import { testPictures } from './serving/test-pictures.js';

type Extracted = Awaited<ReturnType<typeof extractFeatures>>;

interface Experiment {
  readonly pictures: readonly (string | { readonly name: string; readonly content: Uint8Array })[];
  readonly datasetOf: (extracted: Extracted) => Dataset;
  readonly configuration: Configuration;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '3' },
    int8: { type: 'string', default: 'resnet50-imagenet-int8' },
  },
});
const [directory] = positionals as (string | undefined)[];
const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => i + 1);
const backbones = { fp32: 'resnet50-imagenet', int8: values.int8 };
type ComparedPrecision = keyof typeof backbones;
const both: readonly ComparedPrecision[] = ['fp32', 'int8'];
const watcher = { ...silent, note: console.error };

async function flags(): Promise<Experiment> {
  const pictures = await drawPictures(planPictures(demonstrationCounts), 1, watcher);
  return {
    pictures,
    datasetOf: (extracted) => demonstrationDataset(pictures, extracted),
    configuration: demonstrationConfiguration,
  };
}

async function birds(folder: string): Promise<Experiment> {
  const dataset = await loadDataset(folder);
  const pictures = testPictures(folder);
  const labels = Int32Array.from(pictures, ({ row }) => dataset.labels[row]);
  const counted = new Map<number, number>();
  const splits = { train: [] as number[], testSeen: [] as number[], testUnseen: [] as number[] };
  const unseen = new Set(dataset.unseen);
  for (const [i, label] of labels.entries()) {
    const before = counted.get(label) ?? 0;
    counted.set(label, before + 1);
    splits[unseen.has(label) ? 'testUnseen' : before % 3 < 2 ? 'train' : 'testSeen'].push(i);
  }
  return {
    pictures: pictures.map(({ file }) => file),
    datasetOf: ({ features, identity }) => ({
      ...dataset,
      features,
      labels,
      imageFiles: null,
      splits: {
        train: Int32Array.from(splits.train),
        testSeen: Int32Array.from(splits.testSeen),
        testUnseen: Int32Array.from(splits.testUnseen),
      },
      backbone: identity,
    }),
    configuration: configurationSchema.parse({}),
  };
}

const { pictures, datasetOf, configuration } = await (directory === undefined ? flags() : birds(directory));
const datasets = {} as Record<ComparedPrecision, Dataset>;
for (const precision of both) {
  const extracted = await extractFeatures(pictures, { backbone: backbones[precision], watcher });
  if (extracted.problems.length > 0) throw new Error(extracted.problems[0].reason);
  datasets[precision] = datasetOf(extracted);
}
const { splits, name } = datasets.fp32;
console.log(
  `${name}: ${splits.train.length} pictures to train on, ${splits.testSeen.length} and ${splits.testUnseen.length} to judge ` +
    `(seen and unseen classes); ${seeds.length} seeds; H and top-1 among unseen classes, in %`,
);
const engine = await openEngine('onnx', { provider: 'cpu', threads: 0 });
const scratch = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
const found = new Map<string, { harmonicMean: number; top1: number }[]>();
try {
  for (const seed of seeds)
    for (const trained of both) {
      const out = join(scratch, `${trained}-${seed}`);
      const request = { configuration, seeds: [seed], engine, out, resume: false, watcher: silent };
      await train({ ...request, dataset: datasets[trained] });
      const bundle = await readBundle(out);
      for (const judged of both) {
        // A bundle refuses features of another network, which is what is wanted here.
        const dataset = { ...datasets[judged], backbone: datasets[trained].backbone };
        const { generalized, standard } = await evaluateBundle(bundle, dataset);
        const figures = { harmonicMean: 100 * generalized.harmonicMean!, top1: 100 * standard.top1! };
        const key = `trained on ${trained}, judged on ${judged}`;
        found.set(key, [...(found.get(key) ?? []), figures]);
        console.log(
          `  seed ${seed}: ${key}: H ${figures.harmonicMean.toFixed(2)}, top-1 ${figures.top1.toFixed(2)}`,
        );
      }
    }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const meanOf = (key: string, pick: 'harmonicMean' | 'top1'): number => {
  return mean(found.get(key)!.map((figures) => figures[pick]));
};
const reference = 'trained on fp32, judged on fp32';
console.log('mean over the seeds, and the difference to float throughout (within 0.5 is wanted)');
for (const key of found.keys())
  console.log(
    `  ${key}: ${(['harmonicMean', 'top1'] as const)
      .map((pick) => {
        const value = meanOf(key, pick);
        return `${pick === 'top1' ? 'top-1' : 'H'} ${value.toFixed(2)} (${(value - meanOf(reference, pick)).toFixed(2)})`;
      })
      .join(', ')}`,
  );
