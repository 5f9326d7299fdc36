/**
 * How much memory a run in the style of ImageNet takes beside the size of its features, which are read in pieces: word vectors
 * as attributes, features on disk, the table "imagenet" from the first to the last step (checks, whitening, training, head,
 * evaluation of every test row). The features are synthetic, and written row by row:
 *   npm run bench -- imagenet-memory [FOLDER] [rows per class] [seen] [unseen] [feature width] [word vector width]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bytesOf } from '../core/hash.js';
import { Random } from '../core/random.js';
import { npyHeader } from '../trainer/datasets/npy.js';
import { noSearch } from '../trainer/presets.js';

const [folder = join(tmpdir(), 'unseen-imagenet-memory'), ...sizes] = process.argv.slice(2);
const [rowsPerClass = 2500, seen = 200, unseen = 40, width = 1024, words = 500] = sizes.map(Number);
const classes = seen + unseen;
const maxGibibytes = 0.75; // the features of the default sizes are three times that
const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`;

const data = join(folder, 'data');
const configuration = {
  generator: { members: 1, hidden: 256, predictorHidden: 128, epochs: 1 },
  head: { iterations: 8 },
  validation: { folds: 1, search: noSearch },
};

try {
  const bytes = await makeDataset();
  console.log(`${classes * rowsPerClass} rows of ${width} features: ${gibibytes(bytes)} on disk`);
  const peak = peakOf(run());
  console.log(
    `  peak memory of the whole run ${gibibytes(peak)}   ${(peak / bytes).toFixed(2)} of the features`,
  );
  if (peak > maxGibibytes * 2 ** 30) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Rows around the mean of their class, which depends on its word vector; classes alternate. */
async function makeDataset(): Promise<number> {
  mkdirSync(data, { recursive: true });
  const random = new Random(1);
  const vectors = random.fillNormal(new Float32Array(classes * words), 0.1);
  const map = random.fillNormal(new Float32Array(width), 3);
  const names = Array.from({ length: classes }, (_, i) => `n${String(i).padStart(8, '0')}`);
  const header = ['class', ...Array.from({ length: words }, (_, k) => `word-${k}`)].join(',');
  const lines = names.map((name, c) => [name, ...vectors.subarray(c * words, (c + 1) * words)].join(','));
  writeFileSync(join(data, 'attributes.csv'), `${[header, ...lines].join('\n')}\n`);
  writeFileSync(join(data, 'dataset.json'), JSON.stringify({ formatVersion: 1, name: 'imagenet-like' }));
  const [table, features] = [
    await open(join(data, 'rows.csv'), 'w'),
    await open(join(data, 'features.npy'), 'w'),
  ];
  await table.writeFile('image,class,split\n');
  await features.writeFile(npyHeader({ rows: classes * rowsPerClass, columns: width }));
  const block = new Float32Array(classes * width);
  const noise = random.fillNormal(new Float32Array(1 << 20)); // used cyclically: fresh noise would take longer than the run
  for (let i = 0; i < rowsPerClass; i++) {
    const from = random.integer(noise.length);
    for (let at = 0; at < block.length; at++) {
      const [c, k] = [Math.floor(at / width), at % width];
      const place = 0.5 + map[k] * vectors[c * words + (k % words)];
      block[at] = Math.max(0, place + 0.4 * noise[(from + at) & (noise.length - 1)]);
    }
    await features.writeFile(bytesOf(block));
    const split = (c: number): string => (c >= seen ? 'test-unseen' : i % 10 === 9 ? 'test-seen' : 'train');
    await table.writeFile(names.map((name, c) => `${name}/${i}.jpg,${name},${split(c)}\n`).join(''));
  }
  await table.close();
  await features.close();
  return statSync(join(data, 'features.npy')).size;
}

function run(): string {
  const config = join(folder, 'settings.json');
  writeFileSync(config, JSON.stringify(configuration));
  const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const options = ['--table', 'imagenet', '--no-baselines', '--seeds', '1', '--features-in', 'disk'];
  const { stdout, status } = spawnSync(
    process.execPath,
    [
      ...['--import', file('report-memory.js'), file('../cli/main.js'), 'reproduce', ...options],
      ...['--data', data, '--out', join(folder, 'out'), '--config', config],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the run ended with ${status}`);
  console.log(stdout.trim());
  return stdout;
}

function peakOf(output: string): number {
  const found = /Peak memory ([\d.]+) GiB/.exec(output)?.[1];
  if (found === undefined) throw new Error('the run does not say how much memory it took');
  return Number(found) * 2 ** 30;
}
