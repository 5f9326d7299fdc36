// Runs every test and fails when there were fewer than test/expected-count.json says, so that a runner that finds no
// files never passes: `inAll` with those that were skipped, `ran` without. The difference leaves room for a machine without
// Chromium, the other tools and the network's weights, where what needs them is skipped. A test that fails is tried once more: one that passes then is named at the end, and one that
// fails twice fails the run. Prints `N passed, M failed, K skipped` as its last line.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const expected = JSON.parse(readFileSync(new URL('../test/expected-count.json', import.meta.url), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'unseen-tests-'));
const report = join(folder, 'report.json');
const secondTries = join(folder, 'second-tries.json');
const selection = process.argv.slice(2);

const run = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--retry=1',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    `--reporter=${fileURLToPath(new URL('second-try-reporter.js', import.meta.url))}`,
    ...selection,
  ],
  { stdio: 'inherit', env: { ...process.env, UNSEEN_SECOND_TRIES: secondTries } },
);

let summary;
let passedOnSecondTry;
try {
  summary = JSON.parse(readFileSync(report, 'utf8'));
  passedOnSecondTry = JSON.parse(readFileSync(secondTries, 'utf8'));
} catch {
  console.error('The test runner left no report.');
  process.exit(1);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const passed = summary.numPassedTests;
const failed = summary.numFailedTests;
const skipped = summary.numPendingTests + summary.numTodoTests;
const ran = passed + failed;
const tooFew = selection.length === 0 && (ran < expected.ran || ran + skipped < expected.inAll);
if (passedOnSecondTry.length > 0)
  console.log(['Passed only on a second try:', ...passedOnSecondTry].join('\n  '));
if (tooFew) {
  console.error(
    `Only ${ran} tests ran, of ${ran + skipped} that were found; test/expected-count.json expects at least ${expected.ran} of ${expected.inAll}.`,
  );
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(run.status !== 0 || failed > 0 || tooFew ? 1 : 0);
