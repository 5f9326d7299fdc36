/** Places in the queue are reserved for each picture before it is there, and given back on every way out. */
import { request as httpRequest } from 'node:http';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { image, infer } from '../support/open-inference.js';
import { numbered } from '../support/pictures.js';
import { smallFeatureWidth as width, trainSmallBundle } from '../../fixtures/small-bundle.js';
import { postBytes, send, startTestServer, type TestServer } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const picture = await numbered(1);
const base64 = Buffer.from(picture).toString('base64');

function form(pictures: number, bytes: Uint8Array = picture, field = 'image'): RequestInit {
  const body = new FormData();
  for (let i = 0; i < pictures; i++) body.append(field, new Blob([bytes]), `${i}.png`);
  return { method: 'POST', body };
}

/** The most places that were taken at any moment while `work` ran. */
async function peakWhile(server: TestServer, work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  let over = false;
  const watching = (async () => {
    while (!over) {
      peak = Math.max(peak, server.models.current.inference.state.queued);
      await turn();
    }
  })();
  await work();
  over = true;
  await watching;
  return peak;
}

async function sendFrom(localAddress: string, { url }: TestServer, init: RequestInit): Promise<number> {
  const request = new Request(`${url}/classify`, init);
  const body = Buffer.from(await request.arrayBuffer());
  const headers = { 'content-type': request.headers.get('content-type')!, 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(request.url, { method: 'POST', agent: false, localAddress, headers });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function leftOver({ models, dependencies }: TestServer): Promise<readonly number[]> {
  const gauges = [dependencies.metrics.queueDepth, dependencies.metrics.uploadBytes];
  const values = await Promise.all(gauges.map(async (gauge) => (await gauge.get()).values[0].value));
  return [models.current.inference.state.queued, ...values];
}

test('forms sent at the same time cannot take more places than the queue has', async () => {
  const server = await startTestServer({
    bundle: () => bundle,
    settings: { queue: 8, batchSize: 1, callerShare: 1 },
  });
  await server.models.current.inference.killWorker();
  const statuses: number[] = [];
  const peak = await peakWhile(server, () =>
    Promise.all(
      Array.from({ length: 12 }, async () => {
        statuses.push((await send(`${server.url}/classify`, form(6))).status);
      }),
    ),
  );
  expect(peak).toBeLessThanOrEqual(8);
  expect(new Set(statuses)).toEqual(new Set([200, 429])); // some are served, and none fails otherwise
  expect(await leftOver(server)).toEqual([0, 0, 0]);
});

test('one caller’s forms take its share of the queue, and pictures of others are answered', async () => {
  const server = await startTestServer({
    bundle: () => bundle,
    settings: { queue: 8, batchSize: 1, callerShare: 0.5 },
  });
  await server.models.current.inference.killWorker(); // the queue stands still until there is another
  const flood = Array.from({ length: 12 }, () => sendFrom('127.0.0.2', server, form(4)));
  await expect.poll(() => server.models.current.inference.state.queued).toBeGreaterThanOrEqual(4);
  const single = { method: 'POST', body: new Blob([picture]), headers: { 'content-type': 'image/png' } };
  const others = Array.from({ length: 4 }, () => sendFrom('127.0.0.3', server, single));
  expect(await Promise.all(others)).toEqual([200, 200, 200, 200]);
  const statuses = await Promise.all(flood);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(await leftOver(server)).toEqual([0, 0, 0]);
});

test('requests of the Open Inference Protocol count each picture, and rows of features as they weigh', async () => {
  const server = await startTestServer({
    bundle: () => bundle,
    settings: { queue: 8, batchSize: 1, callerShare: 1 },
  });
  await server.models.current.inference.killWorker();
  const rows = 1024; // weigh as much as four pictures
  const features = {
    name: 'features',
    datatype: 'FP32',
    shape: [rows, width],
    data: new Array(rows * width).fill(1),
  };
  const statuses: number[] = [];
  const peak = await peakWhile(server, () =>
    Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        const input = i % 2 === 0 ? image(new Array<string>(6).fill(base64)) : features;
        statuses.push((await infer(server.url, { inputs: [input] })).status);
      }),
    ),
  );
  expect(peak).toBeLessThanOrEqual(8);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(await leftOver(server)).toEqual([0, 0, 0]);
});

test('a form that could never fit into a caller’s share of the queue is told so, and not to try again', async () => {
  const server = await startTestServer({ bundle: () => bundle, settings: { queue: 4, callerShare: 0.5 } });
  const refused = await send(`${server.url}/classify`, form(3));
  expect(refused).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/at most 2 pictures/) as string },
  });
  expect((await send(`${server.url}/classify`, form(2))).status).toBe(200);
  expect((await infer(server.url, { inputs: [image([base64, base64, base64])] })).status).toBe(400);
});

test('after every way in which a request can end, no place and no room is held', async () => {
  const settings = {
    queue: 12,
    callerShare: 0.5,
    batchSize: 1,
    deadlineSeconds: 1.5,
    bodyMegabytes: 0.1,
    bodySeconds: 0.5,
  };
  const server = await startTestServer({ bundle: () => bundle, settings });
  const { url } = server;
  const brokenOff = async (sendBody: boolean): Promise<void> => {
    const headers = { 'content-type': 'image/png', 'content-length': picture.length };
    const sent = httpRequest(`${url}/classify`, { method: 'POST', headers });
    sent.on('error', () => undefined);
    if (sendBody) sent.end(picture);
    else sent.write(picture.subarray(0, 50));
    await sleep(10);
    sent.destroy();
  };
  const endings: (() => Promise<unknown>)[] = [
    () => postBytes(url, picture),
    () => postBytes(url, Buffer.from('no picture')),
    () => postBytes(url, picture, '?topK=0'),
    () => postBytes(url, picture, '?unseenBias=1e30'),
    () => postBytes(url, Buffer.alloc(200_000)),
    () => postBytes(url, picture, '', { 'content-type': 'text/plain' }),
    () => send(`${url}/classify`, form(3)),
    () => send(`${url}/classify`, form(3, Buffer.from('no picture'))),
    () => send(`${url}/classify`, form(20)),
    () => send(`${url}/classify`, form(2, picture, 'other')),
    () => infer(url, { inputs: [image([base64, 'aGVsbG8='])] }),
    () => infer(url, 'no JSON'),
    () => brokenOff(false),
    () => brokenOff(true),
  ];
  for (let round = 0; round < 3; round++) {
    const killing = server.models.current.inference.killWorker();
    await Promise.all([...endings, ...endings].map((end) => end()));
    await killing;
  }
  await expect.poll(() => leftOver(server)).toEqual([0, 0, 0]);
  // Every place is there to be taken again.
  await expect.poll(async () => (await send(`${url}/classify`, form(6))).status).toBe(200);
});
