/** A command line that helps: mistakes are named as what they are, and shells complete what there is. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFolder } from '../../core/project-folder.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { hasTool } from '../support/tools.js';

const folder = temporaryFolder();

test('an unknown option is named before a missing one', async () => {
  const { code, stderr } = await unseen('train', '--data', 'x', '--ot', 'bundle');
  expect(code).toBe(2);
  expect(stderr).toMatch(/unknown option '--ot'[\s\S]*Did you mean --out\?/);
  const missing = await unseen('train', '--data', 'x');
  expect(missing.stderr).toMatch(/required option '--out/);
});

test('what cannot be used ends with 2, for commands of commands too', async () => {
  for (const words of [
    ['list', '--kind', 'odd'],
    ['examples', 'ad'],
    ['restore', 'gnu', 'first'],
    ['versions'],
  ])
    expect([words, (await unseen('classes', ...words)).code]).toEqual([words, 2]);
});

test('--top-k 0 and its message agree', async () => {
  const { stderr } = await unseen('classify', 'x.jpg', '--top-k', '0');
  expect(stderr).toContain('It must be a whole number, 1 or more.');
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

test.skipIf(!hasTool('script'))('in a terminal help has some, and none with NO_COLOR', () => {
  const main = join(projectFolder(), 'dist/cli/main.js');
  const shown = (variables: object): string =>
    spawnSync('script', ['-qec', `"${process.execPath}" "${main}" --help`, '/dev/null'], {
      encoding: 'utf8',
      env: {
        ...process.env,
        CI: undefined,
        NO_COLOR: undefined,
        FORCE_COLOR: undefined,
        TERM: 'xterm',
        ...variables,
      },
    }).stdout;
  expect(shown({})).toContain('\u001b[1m');
  expect(shown({ NO_COLOR: '1' })).not.toContain('\u001b[');
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

  test.skipIf(!hasTool('fish'))('fish does so too, with descriptions', async () => {
    const { stdout } = await unseen('completion', 'fish');
    const script = join(folder, 'unseen.fish');
    writeFileSync(script, stdout);
    const completed = (line: string): string[] => {
      const asked = `source ${script}; complete -C '${line}'`;
      const { stdout: offered, stderr } = spawnSync('fish', ['--no-config', '-c', asked], {
        encoding: 'utf8',
        cwd: folder,
      });
      expect(stderr).toBe('');
      return offered.trim().split('\n');
    };
    expect(completed('unseen cl').map((line) => line.split('\t')[0])).toEqual(['classes', 'classify']);
    expect(completed('unseen classes li')).toEqual(['list\tList the classes that can be recognised.']);
    expect(completed('unseen classes list --ki')).toEqual([
      expect.stringMatching(/^--kind\tlist only classes/),
    ]);
    expect(completed('unseen classify x.jpg --cs')).toEqual([expect.stringMatching(/^--csv\t/)]);
    expect(completed('unseen train --unseen-c')).toEqual([
      expect.stringContaining("xlsa17's testclasses.txt"), // with its quotation mark
    ]);
  });

  test.skipIf(!hasTool('zsh'))('zsh completes at the first Tab, sourced or found in fpath', async () => {
    const { stdout } = await unseen('completion', 'zsh');
    const functions = join(folder, 'functions');
    mkdirSync(functions);
    writeFileSync(join(functions, '_unseen'), stdout);
    // A terminal of its own, in which somebody types; what is typed is asked for until the answer is there.
    const typed = (prepare: string): string =>
      spawnSync(
        'zsh',
        [
          '-f',
          '-c',
          `zmodload zsh/zpty
           zpty shell zsh -f -i
           until-shown() { local end=$((SECONDS + 20)); while [[ $shown != *$1* ]] && (( SECONDS < end )); do zpty -r -t shell part && shown+=\${part//[[:cntrl:]]/} || sleep 0.05; done }
           zpty -w shell "PROMPT=READY'>'; ${prepare}"
           until-shown 'READY>'
           zpty -w -n shell $'unseen classes li\t'; until-shown 'list'
           zpty -w -n shell $'--ki\t'; until-shown '--kind'
           zpty -d shell
           print -r -- "$shown"`,
        ],
        { encoding: 'utf8', cwd: folder, env: { ...process.env, TERM: 'dumb' } },
      ).stdout;
    const prepared = 'autoload -U compinit; compinit -u -D';
    for (const prepare of [
      `${prepared}; source ${functions}/_unseen`,
      `fpath=(${functions} \\$fpath); ${prepared}`,
    ])
      expect(typed(prepare), prepare).toMatch(/unseen classes list\s+--kind/);
  });
});
