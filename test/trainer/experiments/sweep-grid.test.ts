import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configurationSchema } from '../../../trainer/configuration.js';
import { readGrid } from '../../../trainer/experiments/sweep-grid.js';
import { temporaryFolder } from '../../support/folders.js';

const folder = temporaryFolder();

test.each([
  [folder, 'it is a folder'],
  [join(folder, 'absent.json'), 'there is no such file'],
])('a grid that cannot be opened is told with the reason: %s', async (path, reason) => {
  await expect(readGrid(path, configurationSchema.parse({}))).rejects.toThrow(
    `Cannot read the grid ${path}: ${reason}`,
  );
});

test('a grid that is no JSON is named as such', async () => {
  const path = join(folder, 'grid.json');
  writeFileSync(path, '{"a": [1,');
  await expect(readGrid(path, configurationSchema.parse({}))).rejects.toThrow(
    `The grid ${path} is not JSON: `,
  );
});
