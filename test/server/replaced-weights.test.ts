/** The file of the network is read again whenever a worker starts: it must be the one that was verified. */
import { copyFileSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Backbone } from '../../core/backbone/backbone.js';
import { keepBackbone, readCached } from '../../core/backbone/backbone.js';
import { loadCatalogue } from '../../core/backbone/catalogue.js';
import { Failure } from '../../core/failures.js';
import { temporaryFolder } from '../support/folders.js';
import { smallBackbone, smallNetwork } from '../../fixtures/small-backbone.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { postPicture, send, startTestServer, type TestServer } from '../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);

/** The small network in a cache of its own, read and verified as the server reads it. */
async function cachedBackbone(name: string): Promise<Backbone & { readonly model: string }> {
  const catalogue = { ...loadCatalogue(), weights: join(folder, name) };
  const { entry, model } = smallBackbone();
  await keepBackbone(catalogue, entry, model);
  return (await readCached(catalogue, entry)) as Backbone & { readonly model: string };
}

/** Of the same length and with a date in the past, as a careful attacker or a restored backup would leave it. */
function replaceWeights(file: string): void {
  const other = Buffer.from(smallNetwork());
  const offset = other.length - 400;
  for (let i = offset; i < offset + 64; i++) other[i] ^= 1;
  writeFileSync(`${file}.new`, other);
  utimesSync(`${file}.new`, new Date(0), new Date(0));
  renameSync(`${file}.new`, file);
}

async function restartWorker({ models }: TestServer): Promise<void> {
  await models.current.inference.killWorker();
}

test('a worker is not restarted with another network, and the log says which file was replaced', async () => {
  const backbone = await cachedBackbone('replaced');
  const server = await startTestServer({ bundle: () => bundle, backbone: () => backbone });
  const before = (await postPicture(server.url)).body.predictions;
  replaceWeights(backbone.model);
  await restartWorker(server);
  await expect
    .poll(() => server.log.join(''), { timeout: 10_000 })
    .toContain('was verified when the model was');
  expect(server.models.current.inference.state.workersReady).toBe(0);
  expect(server.log.join('')).toContain(backbone.model);
  writeFileSync(backbone.model, smallNetwork()); // put back: it heals by itself
  await expect.poll(() => server.models.current.inference.state.workersReady, { timeout: 15_000 }).toBe(1);
  expect((await postPicture(server.url)).body.predictions).toEqual(before);
});

test('the same network in a new file is no reason to refuse', async () => {
  const backbone = await cachedBackbone('copied');
  const server = await startTestServer({ bundle: () => bundle, backbone: () => backbone });
  copyFileSync(backbone.model, `${backbone.model}.copy`);
  renameSync(`${backbone.model}.copy`, backbone.model);
  expect(readFileSync(backbone.model).equals(Buffer.from(smallBackbone().model))).toBe(true);
  await restartWorker(server);
  await expect.poll(() => server.models.current.inference.state.workersReady, { timeout: 10_000 }).toBe(1);
  expect((await postPicture(server.url)).status).toBe(200);
});

test.each([
  ['backbone-unavailable', 'The weights of the network cannot be read'],
  ['backbone-invalid', 'The weights of the network cannot be used'],
] as const)('%s at a reload is a 503 that says so, and the model that serves stays', async (code, title) => {
  let fails = false;
  const server = await startTestServer({
    bundle: () => bundle,
    backbone: () => {
      if (fails) throw new Failure(code, 'Fetch it again with "unseen backbone pull small --force".');
      return smallBackbone();
    },
  });
  fails = true;
  const { status, body } = await send(`${server.url}/admin/reload`, { method: 'POST' });
  expect([status, body]).toMatchObject([503, { code, title }]);
  expect(body.detail).toContain('unseen backbone pull');
  expect((await postPicture(server.url)).status).toBe(200);
});
