/** Scripts are not compiled: nothing but this notices when what they import is renamed or no longer exported. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const folder = resolve('scripts');
const imports = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.js'))
  .flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return [...text.matchAll(/import\s*\{([^}]*)\}\s*from\s*'([^']*\/dist\/[^']*)'/g)].map(
      ([, names, from]): [string, string, string[]] => [
        name,
        resolve(folder, name, '..', from),
        names.split(',').map((one) => one.trim().split(' ')[0]),
      ],
    );
  });

test('some scripts use the built program', () => {
  expect(imports.map(([script]) => script)).toContain(join('calibration', 'make-ranges.js'));
});

test.each(imports)('what %s imports from %s exists', async (_script, file, names) => {
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as object;
  expect(Object.keys(module)).toEqual(expect.arrayContaining(names.filter((name) => name !== '')));
});
