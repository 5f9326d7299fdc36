/** A command line that helps: mistakes are named as what they are, and shells complete what there is. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();

test('an unknown option is named before a missing one', async () => {
  const { code, stderr } = await unseen('train', '--data', 'x', '--ot', 'bundle');
  expect(code).toBe(2);
  expect(stderr).toMatch(/unknown option '--ot'[\s\S]*Did you mean --out\?/);
  const missing = await unseen('train', '--data', 'x');
  expect(missing.stderr).toMatch(/required option '--out/);
});

test('--top-k 0 and its message agree', async () => {
  const { stderr } = await unseen('classify', 'x.jpg', '--top-k', '0');
  expect(stderr).toContain('It must be a whole number from 1 up.');
});

test('a folder in place of a table is named as one', async () => {
  mkdirSync(join(folder, 'table.csv'));
  const { code, stderr } = await unseen(
    ...[
      'extract',
      '--images',
      folder,
      '--attributes',
      join(folder, 'table.csv'),
      '--out',
      join(folder, 'out'),
    ],
  );
  expect(code).toBe(3);
  expect(stderr).toMatch(/it is a folder/);
  expect(stderr).not.toContain('EISDIR');
});

test('help has no colours where there is no terminal', async () => {
  expect((await unseen('--help')).stdout).not.toContain('\u001b[');
});

describe('completion', () => {
  test('bash completes commands, commands of commands and options', async () => {
    const { stdout } = await unseen('completion', 'bash');
    const completed = (...words: string[]): string[] => {
      const script = `${stdout}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})\nCOMP_CWORD=${words.length - 1}\n_unseen\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: folder }).stdout.trim().split('\n');
    };
    expect(completed('unseen', 'cl')).toEqual(['classify', 'classes']);
    expect(completed('unseen', 'classes', 'li')).toEqual(['list']);
    expect(completed('unseen', 'classes', 'list', '--ki')).toEqual(['--kind']);
    expect(completed('unseen', 'classify', 'x.jpg', '--cs')).toEqual(['--csv']);
  });

  test('zsh and fish get scripts that name every command', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await unseen('completion', shell);
      expect(code).toBe(0);
      for (const word of ['classify', 'extract', 'move-to']) expect(stdout).toContain(word);
    }
  });
});
