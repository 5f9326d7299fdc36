/** Before each test file, so that the next one in the same process finds everything as this one did. */
import { afterAll } from 'vitest';
import { endFile } from './end-of-file.js';

const before = { ...process.env };

afterAll(async () => {
  await endFile();
  for (const name of Object.keys(process.env))
    if (!(name in before)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, before);
});
