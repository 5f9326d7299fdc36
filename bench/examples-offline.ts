/**
 * A few pictures of each unseen class, known when training begins:
 *   npm run bench -- examples-offline DATA [--bundle DIRECTORY] [--pictures 1,2,5,all] [--draws 1] [--threads N]
 * as few-shot classes of `unseen train`, against the same pictures registered at runtime with a model that knows none of these classes, and against the same classes as
 * plain seen ones (fewShot.maxRows 0). "all" gives four of five pictures, as many as training has of a seen class. The model is one trained with the unseen classes hidden (unseen train
 * --hide-unseen), or is trained here; what it chose on validation classes, in which these classes have no part, holds for all. Judged on the test rows that were not given, at the
 * chosen bias; in brackets at the best bias of all.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readBundle } from '../core/bundle/read.js';
import { RuntimeFitter } from '../core/fitting/fitter.js';
import type { RuntimeClass } from '../core/fitting/runtime-class.js';
import { servingBiases } from '../core/fitting/serving-bias.js';
import { FeatureMapper, headRows } from '../core/head/feature-map.js';
import { appendHeadRows } from '../core/head/head-rows.js';
import { Scorer, type LinearHead } from '../core/head/scorer.js';
import { rowOf, takeRows } from '../core/matrix.js';
import { silent } from '../core/progress.js';
import { Random } from '../core/random.js';
import { configurationSchema } from '../trainer/configuration.js';
import { assembleDataset } from '../trainer/datasets/class-sets.js';
import type { DatasetSplits } from '../trainer/datasets/dataset.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { OnnxEngine } from '../trainer/engine/onnx/engine.js';
import { withShare } from '../trainer/generator/ensemble.js';
import { headFor, trainNetworks } from '../trainer/model.js';
import { prepareTrainingData, type TrainingData } from '../trainer/preparation/training-data.js';
import { describedClasses } from '../trainer/saving/save.js';
import { usualEvidenceChoice, type EvidenceChoice } from '../trainer/selection/evidence.js';
import { hideUnseen, train } from '../trainer/train.js';
import { judgedLine, judgeScores, type Judged } from './examples/judge.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bundle: { type: 'string' },
    pictures: { type: 'string', default: '1,2,5,all' },
    draws: { type: 'string', default: '1' },
    threads: { type: 'string', default: '0' },
  },
});
const [path] = positionals as (string | undefined)[];
if (path === undefined) {
  console.error(
    'Usage: npm run bench -- examples-offline DATA [--bundle DIRECTORY] [--pictures 1,2,5,all] [--draws 1] [--threads N]',
  );
  process.exit(2);
}
const threads = Number(values.threads);
const draws = Array.from({ length: Number(values.draws) }, (_, i) => i + 1);
const dataset = await loadDataset(path);
const { labels, splits } = dataset;
const asked = new Set(Array.from(dataset.unseen, (label) => dataset.classNames[label]));
const engine = new OnnxEngine({ threads });
const scorer = await Scorer.open();
const trainingSize = 0.8;
const hidden = await readBundle(values.bundle ?? (await trained()));
const configuration = configurationSchema.parse(hidden.manifest.configuration);
const seed = hidden.manifest.seed;

console.log(
  `Means over ${draws.length} draws, in %: H at the chosen bias (at the best one), the ${asked.size} classes / the others; top-1 among the ${asked.size}`,
);
for (const pictures of values.pictures.split(',')) {
  const [offline, runtime, seen]: Judged[][] = [[], [], []];
  for (const draw of draws) {
    const given = pick(pictures, draw);
    const isGiven = new Set(given);
    const rest = splits.testUnseen.filter((row) => !isGiven.has(row));
    offline.push(await judgeTrained({ ...splits, testUnseen: rest, fewShot: given }, rest));
    runtime.push(await judgeAtRuntime(given, rest));
    const training = Int32Array.from([...splits.train, ...given]).sort();
    const testSeen = Int32Array.from([...splits.testSeen, ...rest]).sort();
    seen.push(await judgeTrained({ train: training, testSeen, testUnseen: new Int32Array(0) }, rest));
  }
  console.log(judgedLine(`${pictures} of each, few-shot classes when training`, offline));
  console.log(judgedLine(`${pictures} of each, registered at runtime`, runtime));
  console.log(judgedLine(`${pictures} of each, as plain seen classes`, seen));
}

/** So many test rows of each unseen class, ascending; "all": four of five, as many as training has of a seen class. */
function pick(pictures: string, draw: number): Int32Array {
  const random = Random.stream(draw, 'examples');
  const rows = Array.from(dataset.unseen).flatMap((label) => {
    const own = random.shuffle(splits.testUnseen.filter((row) => labels[row] === label));
    const count = pictures === 'all' ? Math.round(trainingSize * own.length) : Number(pictures);
    return [...own.subarray(0, count)];
  });
  return Int32Array.from(rows).sort();
}

/** Feature map, closed form and head from the start; the choices are the bundle's. */
async function judgeTrained(own: DatasetSplits, rest: Int32Array): Promise<Judged> {
  const small = assembleDataset({ ...dataset, splits: own });
  const data = await prepareTrainingData(engine, small, configuration);
  const { share } = configuration.generator;
  const untrained = { ...configuration, generator: { ...configuration.generator, epochs: 1 } };
  const run = { engine, seed, label: 'generator', watcher: silent, evidence: choiceOf(data) };
  // Where nothing of what the generator learns is used, it need not learn.
  const networks = await trainNetworks(data, share === 0 ? untrained : configuration, run);
  const head = await headFor(data, withShare(networks, share), configuration, run);
  const classes = describedClasses(small, data.fewShot);
  const judged = await judge(
    data.mapper,
    head,
    servingBiases({ ...hidden.manifest, classes }, []),
    classes,
    rest,
  );
  await data.release();
  return judged;
}

/** What the bundle's settings were made of, for a closed form on the same classes. */
function choiceOf({ closedForm }: TrainingData): EvidenceChoice {
  const { evidence } = hidden.manifest.head;
  if (!evidence || !closedForm) return usualEvidenceChoice;
  const { data, rows } = closedForm.means;
  const spread = 1 - data.reduce((sum, value) => sum + value * value, 0) / rows;
  const { pictureSpread, isotropicShare, halfBiasPictures } = evidence;
  return { noise: pictureSpread / spread, isotropicShare, halfBiasPictures };
}

async function judgeAtRuntime(given: Int32Array, rest: Int32Array): Promise<Judged> {
  const added = Array.from(dataset.unseen, (label): RuntimeClass => ({
    name: dataset.classNames[label],
    attributes: Array.from(rowOf(dataset.attributes, label)),
    examples: takeRows(
      dataset.features,
      given.filter((row) => labels[row] === label),
    ),
  }));
  const fitter = await RuntimeFitter.open(hidden, { threads });
  const { rows } = await fitter.fit(added);
  await fitter.release();
  const { manifest } = hidden;
  const mapper = await FeatureMapper.open(hidden.featureMap, manifest.featureMap.mappedWidth);
  const classes = [...manifest.classes, ...added];
  const head = appendHeadRows(hidden, rows);
  const judged = await judge(mapper, head, servingBiases(manifest, added), classes, rest);
  await mapper.release();
  return judged;
}

async function judge(
  mapper: FeatureMapper,
  head: LinearHead,
  biases: Float64Array,
  classes: readonly { readonly name: string }[],
  rest: Int32Array,
): Promise<Judged> {
  const rows = [...splits.testSeen, ...rest];
  const mapped = headRows(await mapper.map(dataset.features, rows), hidden.manifest.head.temperature);
  const column = new Map(classes.map(({ name }, c) => [name, c]));
  return judgeScores(
    await scorer.score(head, mapped),
    rows.map((row) => column.get(dataset.classNames[labels[row]])!),
    biases,
    classes.map(({ name }) => asked.has(name)),
  );
}

async function trained(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true });
  });
  const out = join(folder, 'bundle');
  const settings = configurationSchema.parse({});
  const request = { dataset: hideUnseen(dataset), configuration: settings, seeds: [1], engine, out };
  await train({ ...request, resume: false, watcher: { ...silent, note: console.error } });
  return out;
}
