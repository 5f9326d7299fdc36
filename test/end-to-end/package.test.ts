/** What `npm pack` makes: complete without the checkout, and without what only the checkout needs. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
  files = pack(folder).files;
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['xzf', join(folder, 'unseen-0.1.0.tgz'), '-C', installed, '--strip-components=1']);
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
});

function pack(into: string, ...words: string[]): { filename: string; files: string[] } {
  const printed = execFileSync(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', into, ...words],
    { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const [packed] = JSON.parse(printed) as { filename: string; files: { path: string }[] }[];
  return { filename: packed.filename, files: packed.files.map(({ path }) => path) };
}

function run(...words: string[]): Promise<Finished> {
  const child = spawn(process.execPath, words, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, UNSEEN_CACHE: join(root, 'models/weights') },
  });
  return finishedOf(child);
}

/** npm as on a machine of a user's, in a folder with nothing in it but the tarball. */
function install(into: string, tarball: string): void {
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, 'package.json'), '{ "private": true }');
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=1'];
  execFileSync('npm', ['install', tarball, ...flags], { cwd: into, stdio: ['ignore', 'ignore', 'pipe'] });
}

const reachesRegistry = (() => {
  const flags = ['--prefer-offline', '--fetch-retries=0', '--loglevel=silent'];
  return spawnSync('npm', ['view', 'onnxruntime-node@1.30.0', 'version', ...flags]).status === 0;
})();

describe('the package', () => {
  test('has neither weights nor benchmarks', () => {
    expect(files.filter((path) => /^(models\/weights|dist\/(bench|fixtures|test))\//.test(path))).toEqual([]);
    expect(files).toContain('dist/cli/main.js');
  });

  test('has every page that its pages link to', () => {
    const pages = files.filter((path) => /^[^/]+\.md$|^docs\/.*\.md$/.test(path));
    const links = pages.flatMap((page) =>
      Array.from(readFileSync(join(installed, page), 'utf8').matchAll(/\]\(([^)#\s]+)/g), ([, link]) => ({
        page,
        link,
      })),
    );
    expect(links.length).toBeGreaterThan(100);
    const missing = links.filter(
      ({ page, link }) => !/^https?:/.test(link) && !existsSync(join(installed, dirname(page), link)),
    );
    expect(missing).toEqual([]);
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

describe.skipIf(!reachesRegistry)('installed by npm in an empty folder', () => {
  test(
    'with install scripts allowed, it runs the demonstration: what a failing script left out is put in place',
    { timeout: 600_000 },
    () => {
      const empty = join(folder, 'empty');
      install(empty, join(folder, 'unseen-0.1.0.tgz'));
      const { status, stdout, stderr } = spawnSync('npx', ['unseen', 'demo', '--json', '--count', '1'], {
        cwd: empty,
        encoding: 'utf8',
        env: {
          ...process.env,
          UNSEEN_CACHE: join(root, 'models/weights'),
          npm_config_prefer_offline: 'true',
        },
      });
      expect(status, stderr).toBe(0);
      const { newcomer } = JSON.parse(stdout) as { newcomer: { after: { class: string }[] } };
      expect(newcomer.after[0].class).toBe('Rising sun');
    },
  );
});

describe('the package of the client', () => {
  const own = join(folder, 'client-alone');
  let packed: string[];
  beforeAll(() => {
    const { filename, files: names } = pack(folder, '--workspace', 'client');
    packed = names;
    install(own, join(folder, filename));
  });

  test('has the version of the whole, no dependency and nothing but compiled files', () => {
    const manifest = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    const client = manifest(join(own, 'node_modules/unseen-client/package.json'));
    expect(client.version).toBe(manifest(join(root, 'package.json')).version);
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      expect(client[kind]).toBeUndefined();
    expect(readdirSync(join(own, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'unseen-client',
    ]);
    expect(
      packed.filter((path) => !/^(package\.json|README\.md|dist\/(LICENSE|[\w-]+\.(js|d\.ts)))$/.test(path)),
    ).toEqual([]);
  });

  test('is used by a program', () => {
    writeFileSync(
      join(own, 'program.mjs'),
      "import { UnseenClient } from 'unseen-client'; console.log(typeof new UnseenClient({ url: 'http://x' }).classify);",
    );
    const printed = execFileSync(process.execPath, [join(own, 'program.mjs')], { encoding: 'utf8' });
    expect(printed.trim()).toBe('function');
  });

  test('has types that need nothing else, and that know the answers', () => {
    writeFileSync(
      join(own, 'program.mts'),
      `import { UnseenClient, type ClassifyResponse } from 'unseen-client';
       const client = new UnseenClient({ url: 'http://x' });
       const answer: ClassifyResponse = await client.classify(new Uint8Array());
       export const name: string = answer.predictions[0].class;
       // @ts-expect-error a probability is a number
       export const wrong: string = answer.predictions[0].probability;`,
    );
    const flags = '--noEmit --strict --target es2022 --module nodenext --lib es2023,dom,dom.iterable';
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), ...flags.split(' '), 'program.mts'],
      { cwd: own, encoding: 'utf8' },
    );
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });
});
