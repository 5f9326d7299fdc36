/** What `npm test` runs, on test files of its own. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../../core/project-folder.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();

function runOf(name: string, content: string): { status: number | null; lines: string[] } {
  const root = join(folder, name);
  mkdirSync(root);
  writeFileSync(join(root, 'vitest.config.js'), 'export default { test: { globals: true } };');
  writeFileSync(join(root, 'own.test.js'), content);
  const { status, stdout } = spawnSync(process.execPath, ['scripts/run-tests.js', '--root', root], {
    cwd: projectFolder(),
    encoding: 'utf8',
  });
  return { status, lines: stdout.trim().split('\n') };
}

test('a test that passes only on a second try is named, and the run passes', () => {
  const { status, lines } = runOf(
    'second-try',
    `let tries = 0;
     describe('a group', () => { test('wavers', () => { expect(++tries).toBe(2); }); });
     test('holds', () => {});
     test.skip('is left out', () => {});`,
  );
  expect(status).toBe(0);
  expect(lines.slice(-3)).toEqual([
    'Passed only on a second try:',
    expect.stringMatching(/^ {2}\S*own\.test\.js > a group > wavers$/),
    '2 passed, 0 failed, 1 skipped',
  ]);
});

test('a test that fails twice fails the run', () => {
  const { status, lines } = runOf(
    'failure',
    `test('fails', () => { expect(1).toBe(2); }); test('holds', () => {});`,
  );
  expect(status).toBe(1);
  expect(lines.at(-1)).toBe('1 passed, 1 failed, 0 skipped');
  expect(lines.join('\n')).not.toContain('second try');
});
