/** The README's first command, as a newcomer gives it. Skipped only where npm cannot reach the backbone at all. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const letters = join(folder, 'letters');
const run = await unseen('demo', '--count', '26', '--seed', '5', '--save', letters, '--json');
const unreachable = run.code === 7 && run.stderr.includes('npm');

test.skipIf(unreachable)('reads letter flags that it has never seen, from fresh pictures', () => {
  expect(run.stderr).toBe('');
  expect(run.code).toBe(0);
  const answers = JSON.parse(run.stdout) as {
    flag: string;
    predictions: { class: string; seen: boolean }[];
  }[];
  expect(answers).toHaveLength(26);
  const right = answers.filter(({ flag, predictions }) => predictions[0].class === flag).length;
  expect(right).toBeGreaterThanOrEqual(19); // 70 %; chance is 1 in 106
  for (const { predictions } of answers) expect(predictions).toHaveLength(3);
});

test.skipIf(unreachable)('keeps the pictures where it is told to', () => {
  expect(readdirSync(letters)).toHaveLength(26);
});

test.skipIf(unreachable)('shows people what was read, and what to try next', async () => {
  const { code, stdout } = await unseen('demo', '--count', '2');
  expect(code).toBe(0);
  expect(stdout).toContain('read as');
  expect(stdout).toContain('Try next');
});
