/**
 * Do the features that we extract from photographs equal those of a published feature file?
 *   npm run bench -- feature-parity CUB_DIR
 * CUB_DIR holds a dataset, photos/ and photos.csv (file,class,split,row: the row of the dataset that each is).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { extractFeatures } from '../core/backbone/extract-features.js';
import { cosine } from '../core/backbone/quantisation/check/cosine.js';
import { rowOf } from '../core/matrix.js';
import { silent } from '../core/progress.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { median } from './quantiles.js';

const [directory] = process.argv.slice(2);
if (!directory) {
  console.error('Usage: npm run bench -- feature-parity CUB_DIR');
  process.exit(2);
}
const photos = parse(readFileSync(join(directory, 'photos.csv'), 'utf8'), {
  columns: true,
}) as unknown as { file: string; row: string }[];
const dataset = await loadDataset(directory);
const started = performance.now();
const { features, problems } = await extractFeatures(
  photos.map(({ file }) => join(directory, 'photos', file)),
  { watcher: { ...silent, note: console.error } },
);
for (const { reason } of problems) console.log(reason);
const seconds = (performance.now() - started) / 1000;
const cosines = photos.map(({ row }, i) => cosine(rowOf(features, i), rowOf(dataset.features, Number(row))));
const worst = cosines.indexOf(Math.min(...cosines));
console.log(
  `Features of ${photos.length} photographs against ${dataset.name}'s rows, in ${seconds.toFixed(0)} s`,
);
console.log(`  median cosine   ${median(cosines).toFixed(7)}   (target 0.999)`);
console.log(`  smallest        ${cosines[worst].toFixed(7)}   (target 0.99), ${photos[worst].file}`);
process.exit(median(cosines) >= 0.999 && cosines[worst] >= 0.99 ? 0 : 1);
