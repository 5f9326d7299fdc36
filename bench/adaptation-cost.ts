/**
 * What adapting a bundle to unlabelled pictures costs as pictures and classes grow, on one thread; each case in a process of its own:
 *   npm run bench -- adaptation-cost [--cases 2500x200,5000x200,10000x200,25000x1000,100000x1000] [--rows file,memory] [--width 2048] [--work DIRECTORY]
 * Bundles and features are synthetic: a quarter of the classes is unseen, and the pool holds pictures of all of them. Rows lie in a file, as `unseen adapt`
 * has them of pictures, or in memory in half precision, as a server has those of a pool. Printed are the time from rows to an adapted bundle, and the peak
 * memory of the whole process beside what it had with bundle and rows. --work keeps bundles and features for another run.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bytesOf } from '../core/hash.js';
import { rowOf } from '../core/matrix.js';
import { silent } from '../core/progress.js';
import { Random } from '../core/random.js';
import { smallConfiguration } from '../fixtures/small-configuration.js';
import { syntheticDataset } from '../fixtures/synthetic-dataset.js';
import { OnnxEngine } from '../trainer/engine/onnx/engine.js';
import { train } from '../trainer/train.js';
import type { AdaptationCost } from './adaptation/adapt-once.js';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '2500x200,5000x200,10000x200,25000x1000,100000x1000' },
    rows: { type: 'string', default: 'file' },
    width: { type: 'string', default: '2048' },
    work: { type: 'string' },
  },
});
const width = Number(values.width);
const targets: Record<string, { readonly seconds: number; readonly mebibytes: number } | undefined> = {
  '10000x200': { seconds: 20, mebibytes: 300 },
};

interface Case {
  readonly pictures: number;
  readonly classes: number;
}

await printAll();

async function printAll(): Promise<void> {
  const work = values.work ?? mkdtempSync(join(tmpdir(), 'unseen-adaptation-cost-'));
  mkdirSync(work, { recursive: true });
  try {
    console.log(`${width} features, one thread:`);
    for (const name of values.cases.split(','))
      for (const where of values.rows.split(',')) {
        await prepare(caseOf(name), work);
        const { seconds, before, peak, moved } = measured(name, where, work);
        const { pictures, classes } = caseOf(name);
        const target = targets[name];
        console.log(
          `  ${String(pictures).padStart(6)} pictures x ${String(classes).padStart(4)} classes, in ${where.padEnd(6)} ${seconds.toFixed(1).padStart(6)} s   peak ${peak.toFixed(0).padStart(4)} MiB (${before.toFixed(0)} with bundle and rows)   ${moved} classes moved` +
            (target ? `   (target ${target.seconds} s, ${target.mebibytes} MiB)` : ''),
        );
        if (target && (seconds > target.seconds || peak > target.mebibytes)) process.exitCode = 1;
      }
  } finally {
    if (values.work === undefined) rmSync(work, { recursive: true, force: true });
  }
}

/** In a process that has loaded nothing else. */
function measured(name: string, where: string, work: string): AdaptationCost {
  const file = fileURLToPath(new URL('./adaptation/adapt-once.js', import.meta.url));
  const { pictures, classes } = caseOf(name);
  const { stdout, status } = spawnSync(
    process.execPath,
    [file, bundlePath(classes, work), featuresPath({ pictures, classes }, work), String(pictures), where],
    { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${name} ended with ${String(status)}`);
  return JSON.parse(stdout) as AdaptationCost;
}

async function prepare(one: Case, work: string): Promise<void> {
  const { pictures, classes } = one;
  const rowsPerClass = 10;
  const dataset = syntheticDataset({
    ...{ seen: Math.round(0.75 * classes), unseen: classes - Math.round(0.75 * classes) },
    ...{ attributes: 60, featureWidth: width, rowsPerClass, noise: 1 },
  });
  if (!existsSync(bundlePath(classes, work))) {
    console.error(`Training a bundle of ${classes} classes …`);
    await train({
      dataset,
      configuration: smallConfiguration({ generator: { epochs: 1 } }),
      seeds: [1],
      engine: new OnnxEngine({ threads: 1 }),
      out: bundlePath(classes, work),
      resume: false,
      watcher: silent,
    });
  }
  if (existsSync(featuresPath(one, work))) return;
  // Rows of the dataset with fresh noise on top; noise is used cyclically, as drawing it would take longer than the adaptation.
  const random = Random.stream(1, 'adaptation-cost');
  const noise = random.fillNormal(new Float32Array(1 << 20), 0.5);
  const file = await open(featuresPath(one, work), 'w');
  const block = new Float32Array(500 * width);
  for (let start = 0; start < pictures; start += 500) {
    const count = Math.min(500, pictures - start);
    for (let i = 0; i < count; i++) {
      const row = rowOf(dataset.features, random.integer(dataset.features.rows));
      const from = random.integer(noise.length);
      for (let k = 0; k < width; k++)
        block[i * width + k] = Math.max(0, row[k] + noise[(from + k) & (noise.length - 1)]);
    }
    await file.writeFile(bytesOf(block.subarray(0, count * width)));
  }
  await file.close();
}

function caseOf(name: string): Case {
  const [pictures, classes] = name.split('x').map(Number);
  if (!(pictures > 0 && classes > 3)) throw new RangeError(`"${name}" is not PICTURESxCLASSES`);
  return { pictures, classes };
}

function bundlePath(classes: number, work: string): string {
  return join(work, `bundle-${classes}-${width}`);
}

function featuresPath({ pictures, classes }: Case, work: string): string {
  return join(work, `features-${pictures}x${classes}-${width}.f4`);
}
