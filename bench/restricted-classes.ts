/**
 * What a picture costs the head when few of many classes may answer, against all of them, in the same run:
 *   npm run bench -- restricted-classes [bundle] [classes] [few ...]
 * By default the demonstration bundle, 10,000 classes, and 20, 200, 2,000 and 5,000 of them. Feature map included, network not.
 */
import { join } from 'node:path';
import { readBundle } from '../core/bundle/read.js';
import { Classifier, type ClassificationOptions } from '../core/head/classifier.js';
import { HeadTable } from '../core/head/head-table.js';
import { matrix } from '../core/matrix.js';
import { projectFolder } from '../core/project-folder.js';
import { Random } from '../core/random.js';
import { median } from './quantiles.js';

const [folder = join(projectFolder(), 'models/demo'), total = '10000', ...given] = process.argv.slice(2);
const count = Number(total);
const sizes = given.length > 0 ? given.map(Number) : [20, 200, 2000, 5000];
const random = new Random(1);
const bundle = await readBundle(folder);
const { mappedWidth, width } = bundle.manifest.featureMap;
const table = new HeadTable(mappedWidth, count);
const names = Array.from({ length: count }, (_, c) => `class ${String(c).padStart(5, '0')}`);
const attributes = bundle.manifest.classes[0].attributes;
for (const name of names)
  table.put(
    { name, seen: false, runtime: true, attributes },
    { weights: random.fillNormal(new Float32Array(mappedWidth)), bias: 0 },
  );
table.setGroups(sizes.map((size) => ({ name: `${size}`, family: null, classes: spread(size) })));
const classifier = await Classifier.over(bundle, table, { threads: 1 });

/** Classes from all over the table, as those of a group are. */
function spread(size: number): string[] {
  return Array.from({ length: size }, (_, i) => names[Math.floor((i * count) / size)]);
}

async function milliseconds(rows: number, options: ClassificationOptions): Promise<number> {
  const features = matrix(rows, width, random.fillNormal(new Float32Array(rows * width)).map(Math.abs));
  const times: number[] = [];
  for (let run = 0; run < 25; run++) {
    const started = performance.now();
    await classifier.classify(features, options);
    if (run > 4) times.push((performance.now() - started) / rows);
  }
  return median(times);
}

console.log(
  `Milliseconds of the head for a picture, ${count} classes of ${mappedWidth} weights, one thread:`,
);
console.log('may answer      alone   of all   in a batch of 8   of all');
const all = [await milliseconds(1, { topK: 5 }), await milliseconds(8, { topK: 5 })];
const line = (label: string, [alone, batch]: readonly number[]): void => {
  const share = (value: number, whole: number): string =>
    `${((100 * value) / whole).toFixed(0)} %`.padStart(6);
  console.log(
    `${label.padEnd(12)} ${alone.toFixed(3).padStart(8)}   ${share(alone, all[0])}   ${batch.toFixed(3).padStart(15)}   ${share(batch, all[1])}`,
  );
};
line('all', all);
for (const size of sizes) {
  const mayAnswer = { groups: [`${size}`] };
  line(`${size}`, [
    await milliseconds(1, { topK: 5, mayAnswer }),
    await milliseconds(8, { topK: 5, mayAnswer }),
  ]);
}
await classifier.release();
