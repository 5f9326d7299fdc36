/** What `npm pack` makes: complete without the checkout, and without what only the checkout needs. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { projectFolder } from '../../core/project-folder.js';
import { finishedOf, type Finished } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';

const root = projectFolder();
const folder = temporaryFolder();
const modules = join(folder, 'node_modules');
const installed = join(modules, 'unseen');
let files: string[];

/** Unpacked as npm would, beside the packages that the checkout has: nothing is fetched. */
beforeAll(() => {
  const printed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(printed) as { filename: string; files: { path: string }[] }[];
  files = packed.files.map(({ path }) => path);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['xzf', join(folder, packed.filename), '-C', installed, '--strip-components=1']);
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
});

function run(...words: string[]): Promise<Finished> {
  const child = spawn(process.execPath, words, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, UNSEEN_CACHE: join(root, 'models/weights') },
  });
  return finishedOf(child);
}

describe('the package', () => {
  test('has neither weights nor benchmarks', () => {
    expect(files.filter((path) => /^(models\/weights|dist\/(bench|fixtures|test))\//.test(path))).toEqual([]);
    expect(files).toContain('dist/cli/main.js');
  });

  test('has every page that its README links to', () => {
    const text = readFileSync(join(installed, 'README.md'), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => link);
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((link) => !/^https?:/.test(link) && !existsSync(join(installed, link)))).toEqual([]);
  });

  test('runs the demonstration', async () => {
    const { code, stdout, stderr } = await run(
      join(installed, 'dist/cli/main.js'),
      ...['demo', '--json', '--count', '1'],
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const { newcomer } = JSON.parse(stdout) as { newcomer: { after: { class: string }[] } };
    expect(newcomer.after[0].class).toBe('Rising sun');
  });

  test('gives the client to other programs', async () => {
    writeFileSync(
      join(folder, 'program.mjs'),
      "import { UnseenClient } from 'unseen/client'; console.log(typeof new UnseenClient({ url: 'http://x' }).classify);",
    );
    expect((await run(join(folder, 'program.mjs'))).stdout.trim()).toBe('function');
  });
});
