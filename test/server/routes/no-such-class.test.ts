/** A class that is not there: every route that names one says which was most likely meant. */
import { expect, test } from 'vitest';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { temporaryFolder } from '../../support/folders.js';
import { send, startTestServer } from '../../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const { url } = await startTestServer({ bundle: () => bundle });
const [{ name }] = bundle.manifest.classes;
const wrong = `${name.slice(0, -1)}${name.slice(-1)}x`;

test.each([
  ['GET', ''],
  ['DELETE', ''],
  ['GET', '/examples'],
  ['GET', '/versions'],
])('%s /classes/NAME%s', async (method, rest) => {
  const headers = method === 'DELETE' ? { 'if-match': '*' } : {};
  const { status, body } = await send(`${url}/classes/${wrong}${rest}`, { method, headers });
  expect(status).toBe(404);
  expect((body as { detail: string }).detail).toContain(`There is no class "${wrong}".`);
  expect((body as { detail: string }).detail).toContain(`Did you mean "${name}"`);
});
