/** ONNX Runtime is put in place where npm left it out: from a registry on this machine, by npm itself. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completeInstallation, onnxRuntimePackage } from '../../core/onnx-runtime-package.js';
import { silent } from '../../core/progress.js';
import { projectFolder } from '../../core/project-folder.js';
import { temporaryFolder } from '../support/folders.js';
import { startRegistry, tarball } from '../support/npm-registry.js';

const folder = temporaryFolder();

test('is the package of the lockfile', () => {
  const { packages } = JSON.parse(readFileSync(join(projectFolder(), 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  expect(packages['node_modules/onnxruntime-node']).toMatchObject({
    version: onnxRuntimePackage.version,
    integrity: onnxRuntimePackage.integrity,
  });
});

test('where it is installed, nothing is asked of npm', async () => {
  const noted: string[] = [];
  await completeInstallation({ ...silent, note: (line) => noted.push(line) }, projectFolder(), { PATH: '' });
  expect(noted).toEqual([]);
});

test('a registry that answers with something else is refused, with what to do, and nothing is left behind', async () => {
  const root = join(folder, 'unseen');
  mkdirSync(root);
  writeFileSync(join(root, 'package.json'), '{}');
  const name = onnxRuntimePackage.package;
  const bytes = tarball({ files: { 'package.json': JSON.stringify({ name, main: 'evil.js' }) } });
  const registry = await startRegistry({ name, version: onnxRuntimePackage.version, files: {} }, bytes);
  const environment = {
    ...process.env,
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_fetch_retries: '0',
  };
  const failure = await completeInstallation(silent, root, environment).catch((error: unknown) => error);
  await registry.close();
  expect(failure).toMatchObject({
    code: 'engine-unavailable',
    message: expect.stringMatching(
      /is not the package that was asked for.*npm install --ignore-scripts onnxruntime-node@/s,
    ) as string,
  });
  expect(existsSync(join(root, 'node_modules')) ? readdirSync(join(root, 'node_modules')) : []).toEqual([]);
});
