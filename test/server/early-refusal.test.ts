/** A full queue refuses before most of the server has seen the request; what is answered is the same as everywhere. */
import express from 'express';
import request from 'supertest';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { addressOf } from '../../server/http/caller.js';
import { temporaryFolder } from '../support/folders.js';
import { infer } from '../support/open-inference.js';
import { numbered } from '../support/pictures.js';
import { atEndOfFile } from '../support/runner/end-of-file.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { postBytes, send, startTestServer, type TestServer } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const picture = await numbered(1);
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    bundle: () => bundle,
    settings: { queue: 1, batchSize: 1, corsOrigins: ['https://page.example'], bodyBytesPerSecond: 0 },
  });
  // An upload that never ends holds the only place.
  const headers = { 'content-type': 'image/png', 'content-length': 1000 };
  const holding = httpRequest(`${server.url}/classify`, { method: 'POST', agent: false, headers });
  holding.on('error', () => undefined);
  holding.flushHeaders();
  atEndOfFile(() => holding.destroy());
  while (server.models.current.inference.state.queued === 0) await sleep(10);
});

test('with problem details, a request id, Retry-After, and what browsers of allowed pages need', async () => {
  const headers = { origin: 'https://page.example', 'x-request-id': 'mine' };
  const { status, body, headers: answered } = await postBytes(server.url, picture, '?topK=3', headers);
  expect(status).toBe(429);
  expect(body).toMatchObject({
    type: 'urn:unseen:problem:overloaded',
    status: 429,
    code: 'overloaded',
    requestId: 'mine',
  });
  expect(answered.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(Number(answered.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(answered.get('access-control-allow-origin')).toBe('https://page.example');
  expect(answered.get('x-content-type-options')).toBe('nosniff');
});

test('in the form of the Open Inference Protocol where that is spoken', async () => {
  const { status, body, headers } = await infer(server.url, '{}');
  expect(status).toBe(429);
  expect(body).toEqual({ error: expect.stringMatching(/pictures are waiting/) as string });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
});

test('counted and logged once each, under the name of the route', async () => {
  const { metrics } = server.dependencies;
  const refused = async () =>
    (await metrics.refused.get()).values.find(({ labels }) => labels.reason === 'queue-full')!.value;
  const before = await refused();
  await postBytes(server.url, picture, '', { 'x-request-id': 'counted' });
  expect(await refused()).toBe(before + 1);
  const lines = () => server.log.filter((line) => line.includes('"requestId":"counted"'));
  await expect.poll(lines).toHaveLength(1);
  expect(JSON.parse(lines()[0])).toMatchObject({
    route: 'classify',
    status: 429,
    code: 'overloaded',
    method: 'POST',
  });
});

test('and nothing else is refused', async () => {
  for (const path of ['/healthz', '/classes', '/attributes', '/v2/models/unseen'])
    expect((await send(`${server.url}${path}`)).status, path).toBe(200);
  expect((await send(`${server.url}/classify`)).status).toBe(405);
  expect((await send(`${server.url}/classifyx`, { method: 'POST' })).status).toBe(404);
});

test.each([0, 1, 2, 5])(
  'behind %i proxies the caller is the one that Express would find',
  async (trustProxy) => {
    const app = express();
    app.set('trust proxy', trustProxy);
    app.use((asked, response) => void response.json([asked.ip, addressOf(asked, trustProxy)]));
    for (const forwarded of [
      undefined,
      '1.2.3.4',
      '1.2.3.4, 5.6.7.8',
      '::1%x y,, z',
      '2001:db8::1,10.0.0.1 , 10.0.0.2',
      ' ',
    ]) {
      const asked = request(app).get('/');
      const { body } = await (forwarded === undefined ? asked : asked.set('X-Forwarded-For', forwarded));
      const [ip, address] = body as [string, string];
      expect(address, forwarded).toBe(ip);
    }
  },
);
