import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const script = fileURLToPath(new URL('../../scripts/image/prune.js', import.meta.url));
const prune = (modules: string) => spawnSync(process.execPath, [script, modules], { encoding: 'utf8' });

test('removes what this machine cannot load or nothing reads, and nothing else', () => {
  const runtime = `onnxruntime-node/bin/napi-v6`;
  const kept = [
    `${runtime}/${process.platform}/${process.arch}/binding.node`,
    'onnxruntime-node/dist/index.js',
    '@img/sharp-linux-x64/lib/sharp.node',
    '@libsql/linux-x64-gnu/index.node',
    'express/LICENSE.md',
    'express/lib/express.js',
  ];
  const removed = [
    `${runtime}/other/${process.arch}/binding.node`,
    `${runtime}/${process.platform}/other/binding.node`,
    '@img/sharp-linuxmusl-x64/lib/sharp.node',
    '@img/sharp-wasm32/lib/sharp.wasm',
    '@libsql/linux-x64-musl/index.node',
    'express/lib/express.js.map',
    'express/README.md',
    'express/types/index.d.ts',
  ];
  for (const path of [...kept, ...removed]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), 'x');
  }
  // As npm links a workspace: in the image there is no such folder.
  symlinkSync('../client', join(folder, 'unseen-client'));
  expect(prune(folder)).toMatchObject({ status: 0, stderr: '' });
  expect(lstatSync(join(folder, 'unseen-client'), { throwIfNoEntry: false })).toBeUndefined();
  for (const path of kept) expect(existsSync(join(folder, path)), path).toBe(true);
  for (const path of removed) expect(existsSync(join(folder, path)), path).toBe(false);
});

test('refuses a folder that holds no modules', () => {
  const { status, stderr } = prune(join(folder, 'elsewhere'));
  expect(status).toBe(2);
  expect(stderr).toContain('Name the node_modules folder');
});
