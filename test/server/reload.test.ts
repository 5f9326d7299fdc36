/** A request sees one model from its first byte to its last, whatever is loaded meanwhile. */
import { request as open, type ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { expect, test } from 'vitest';
import type { Bundle } from '../../core/bundle/bundle.js';
import { createApp } from '../../server/app.js';
import type { Serving } from '../../server/model/contract.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { postBytes, send, startTestServer, type Answered } from '../support/test-server.js';

const folder = temporaryFolder();
const { bundle: first } = await trainSmallBundle(folder);
const { bundle: trained } = await trainSmallBundle(folder, 2);
const second: Bundle = {
  ...trained,
  manifest: { ...trained.manifest, dataset: { ...trained.manifest.dataset, name: 'another dataset' } },
};
const picture = await numbered(1);
const attributes = Object.fromEntries(first.manifest.attributes.map(({ name }, k) => [name, (k / 7) % 1]));

async function startWithReload() {
  let current = first;
  const server = await startTestServer({ bundle: () => current });
  const reload = async (): Promise<void> => {
    current = second;
    const { body } = await send(`${server.url}/admin/reload`, { method: 'POST' });
    expect(body).toEqual({ version: second.identity, changed: true });
  };
  return { server, reload };
}

/** An upload of which the second half is held back. */
function startUpload(url: string, bytes: Uint8Array, type: string) {
  let upload!: ClientRequest;
  const answered = new Promise<Answered['body']>((resolve, reject) => {
    upload = open(`${url}/classify`, { method: 'POST', headers: { 'content-type': type } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        resolve(JSON.parse(Buffer.concat(parts).toString()));
      });
    });
    upload.on('error', reject);
  });
  const half = Math.floor(bytes.length / 2);
  upload.write(bytes.subarray(0, half));
  return { answered, finish: () => upload.end(bytes.subarray(half)) };
}

test('model name, version and revision of an answer are of the model that made it, also across a reload', async () => {
  const { server, reload } = await startWithReload();
  const { answered, finish } = startUpload(server.url, picture, 'image/png');
  await sleep(200);
  await reload();
  expect((await postBytes(server.url, picture)).body.model).toEqual({
    version: second.identity,
    name: 'another dataset',
  });
  finish();
  const { model, predictions } = await answered;
  expect(model).toEqual({ version: first.identity, name: first.manifest.dataset.name });
  expect(predictions.length).toBeGreaterThan(0);
});

test('a form whose pictures all failed tells the revision of the registry', async () => {
  const { server } = await startWithReload();
  const added = await send(`${server.url}/classes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'new', attributes }),
  });
  expect([added.status, added.body.registryRevision]).toEqual([201, 1]);
  const form = new FormData();
  for (const name of ['a', 'b']) form.append('image', new Blob(['no picture']), name);
  const { status, body } = await send(`${server.url}/classify`, { method: 'POST', body: form });
  expect(status).toBe(200);
  expect(body.pictures.map(({ problem }: { problem: { status: number } }) => problem.status)).toEqual([
    415, 415,
  ]);
  expect(body.registryRevision).toBe(1);
});

test('a change of classes that began before a reload is stored, and the new model has it too', async () => {
  const { server, reload } = await startWithReload();
  const adding = send(`${server.url}/classes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'in between', attributes }),
  });
  const [added] = await Promise.all([adding, reload()]);
  expect(added.status).toBe(201);
  await expect.poll(async () => (await send(`${server.url}/classes/in%20between`)).status).toBe(200);
});

test('after a reload the gauges show the model that serves, and its workers', async () => {
  const { server, reload } = await startWithReload();
  await reload();
  await expect
    .poll(async () => (await send(`${server.url}/metrics`)).body as string)
    .toContain(`unseen_model_info{version="${second.identity.slice(0, 12)}"`);
  await sleep(500); // until the workers of the previous model have ended
  const { body } = await send(`${server.url}/metrics`);
  expect(body).toMatch(/^unseen_workers_ready 1$/m);
  expect(body).not.toContain(first.identity.slice(0, 12));
});

test.each(['classes', 'classes/class-001', 'classes/class-001/examples', 'groups', 'adaptations', 'pools'])(
  'GET /%s holds its model open while it is answered',
  async (path) => {
    const { server } = await startWithReload();
    let holders = 0;
    const serving: Serving = {
      get current(): never {
        throw new Error('a model that is not held may be closed by a reload');
      },
      use: async (work) => {
        holders += 1;
        return server.models.use(work);
      },
    };
    const { body } = await request(createApp({ ...server.dependencies, serving }))
      .get(`/${path}`)
      .expect(200);
    expect(body).toBeTypeOf('object');
    expect(holders).toBe(1);
  },
);
