/**
 * The transductive setting: unlabelled rows of unseen classes are there while training, as many of each class as there are, and in a long tail:
 *   npm run bench -- transductive DATA [--validation] [--threads N]
 * Top-1 among the unseen classes on those rows, without and with them, with masses unknown and equal. The closed form alone, which is what validation
 * chooses on CUB. --validation takes a fold of the training rows, in which a quarter of the seen classes play unseen, in place of the test rows.
 */
import { parseArgs } from 'node:util';
import { silent } from '../core/progress.js';
import { Random } from '../core/random.js';
import { configurationSchema, transductiveSchema } from '../trainer/configuration.js';
import type { Configuration } from '../trainer/configuration.js';
import type { Dataset } from '../trainer/datasets/dataset.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { openEngine } from '../trainer/engine/open.js';
import { judgeModel } from '../trainer/evaluation/evaluate.js';
import { standardTopK } from '../trainer/evaluation/metrics.js';
import { trainModel } from '../trainer/model.js';
import { closedFormAlone, validationFold } from './adaptation/validation-folds.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { validation: { type: 'boolean', default: false }, threads: { type: 'string', default: '0' } },
});
const [data] = positionals as (string | undefined)[];
if (data === undefined) {
  console.error('Usage: npm run bench -- transductive DATA [--validation] [--threads N]');
  process.exit(2);
}
const [most, fewest] = [60, 3];
const loaded = await loadDataset(data);
const whole = values.validation ? validationFold(loaded, 0) : loaded;
const engine = await openEngine('onnx', { provider: 'cpu', threads: Number(values.threads) });
const configuration = configurationSchema.parse(closedFormAlone);
const settings: Record<string, Configuration['transductive']> = {
  'without them': undefined,
  'with them, masses unknown': transductiveSchema.parse({ rows: 'test-unseen' }),
  'with them, equal masses': transductiveSchema.parse({ rows: 'test-unseen', masses: 'equal' }),
};
for (const [name, dataset] of [
  ['as they come', whole],
  [`a long tail, ${most} to ${fewest} a class`, longTail(whole)],
] as const) {
  console.log(
    `${name}: ${dataset.splits.testUnseen.length} unlabelled rows of ${dataset.unseen.length} classes, top-1`,
  );
  for (const [label, transductive] of Object.entries(settings)) {
    const { generator, ...rest } = configuration;
    const chosen = { ...rest, generator: { ...generator, share: 0 }, ...(transductive && { transductive }) };
    console.log(`  ${label.padEnd(28)} ${(100 * (await top1(dataset, chosen))).toFixed(1)}`);
  }
}

async function top1(dataset: Dataset, chosen: Configuration): Promise<number> {
  const run = { engine, seed: 1, label: 'bench', watcher: silent };
  const { data: prepared, head } = await trainModel(dataset, chosen, run);
  const scoring = { mapper: prepared.mapper, head, temperature: chosen.head.temperature };
  const judged = await judgeModel(scoring, dataset, dataset.splits.testUnseen);
  await prepared.release();
  return standardTopK(judged, 1)!;
}

/** Of one class the most rows, of another the fewest, of the others numbers between, falling geometrically. */
function longTail(dataset: Dataset): Dataset {
  const random = Random.stream(1, 'long-tail');
  const { splits, labels, unseen } = dataset;
  const order = random.shuffle(unseen.slice());
  const kept = Array.from(order).flatMap((label, i) => {
    const rows = random.shuffle(splits.testUnseen.filter((row) => labels[row] === label));
    const count = Math.round(most * (fewest / most) ** (i / Math.max(1, order.length - 1)));
    return Array.from(rows.slice(0, Math.max(fewest, count)));
  });
  return { ...dataset, splits: { ...splits, testUnseen: Int32Array.from(kept).sort() } };
}
