/**
 * What training reaches on a dataset, how long it takes and how much memory, in one run:
 *   npm run bench -- accuracy DATA [--seeds 3] [other options of "unseen train"]
 * With several seeds each has validation folds and a bias of its own, and so have the baselines: ± covers them.
 * The figures for CUB in docs/measured.md come from this with xlsa17's files for CUB.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [data, ...options] = process.argv.slice(2);
if (!data) {
  console.error('Usage: npm run bench -- accuracy DATA [options of "unseen train"]');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
const main = new URL('../cli/main.js', import.meta.url).pathname;
const started = performance.now();
const child = spawn(
  process.execPath,
  [
    '--import',
    new URL('./report-memory.js', import.meta.url).href,
    main,
    'train',
    '--data',
    data,
    '--out',
    join(folder, 'bundle'),
    ...options,
  ],
  { stdio: 'inherit' },
);
const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
console.log(
  `Training took ${((performance.now() - started) / 60_000).toFixed(1)} minutes, validation and baseline included.`,
);
rmSync(folder, { recursive: true });
process.exit(code ?? 1);
