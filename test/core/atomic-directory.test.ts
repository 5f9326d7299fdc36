import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const compiled = new URL('../../dist/core/atomic-directory.js', import.meta.url).href;

test('processes that publish the same directory at the same time all succeed, and one of them is what stays', async () => {
  const target = join(folder, 'weights');
  const writers = ['a', 'b', 'c'].map((name) =>
    promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { writeDirectory } from ${JSON.stringify(compiled)};
       const files = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [String(i), ${JSON.stringify(name)}]));
       for (let i = 0; i < 60; i++) await writeDirectory(${JSON.stringify(target)}, files, { replace: true });`,
    ]),
  );
  await Promise.all(writers);
  const contents = readdirSync(target).map((file) => readFileSync(join(target, file), 'utf8'));
  expect(contents.length).toBe(5);
  expect(new Set(contents).size).toBe(1);
  expect(readdirSync(folder)).toEqual(['weights']); // nothing half there is left
}, 60_000);
