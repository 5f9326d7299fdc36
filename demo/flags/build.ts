/**
 * `npm run demo:build`: draws the flags, extracts their features, trains, and puts the bundle into models/demo.
 * The same seed gives the same bytes, on one kind of machine. `--out DIR` builds elsewhere, `--dataset DIR` keeps the
 * dataset too.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { terminalWatcher } from '../../core/terminal-watcher.js';
import { writeOpenForm } from '../../trainer/datasets/write-open-form.js';
import { openEngine } from '../../trainer/engine/open.js';
import { biasOriginOf } from '../../trainer/evaluation/bias-origin.js';
import { evaluationTable } from '../../trainer/evaluation/evaluation-table.js';
import { train } from '../../trainer/train.js';
import { demonstrationConfiguration } from './configuration.js';
import { demonstrationCounts, makeDataset } from './dataset.js';

const seed = 1;

const { values: options } = parseArgs({
  options: { out: { type: 'string', default: 'models/demo' }, dataset: { type: 'string' } },
});
const stop = new AbortController();
process.once('SIGINT', () => {
  stop.abort();
});
const watcher = terminalWatcher(stop.signal);
const started = performance.now();

watcher.note('Drawing flags and extracting their features. This takes some minutes.');
const dataset = await makeDataset(demonstrationCounts, seed, watcher);
if (options.dataset !== undefined) await writeOpenForm(dataset, options.dataset);

const scratch = await mkdtemp(join(tmpdir(), 'unseen-demo-'));
try {
  const bundle = join(scratch, 'bundle');
  const { evaluations, baselines, selection } = await train({
    dataset,
    configuration: demonstrationConfiguration,
    seeds: [seed],
    engine: await openEngine('onnx', { provider: 'cpu', threads: 0 }),
    out: bundle,
    resume: false,
    watcher,
  });
  await rm(options.out, { recursive: true, force: true });
  await cp(bundle, options.out, { recursive: true });
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `${evaluationTable(evaluations[0].evaluation, baselines, biasOriginOf(selection.configuration, selection))}\n` +
      `The unseen classes are the 26 letter flags; training had no picture of them.\n` +
      `Bundle: ${options.out} (${seconds} s)`,
  );
} finally {
  await rm(scratch, { recursive: true, force: true });
}
