import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { postBytes, postPicture, startTestServer, type Answered } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const picture = await numbered(1);

/** The only worker is away for as long as starting one takes, so that the queue stands still. */
async function whileWorkerIsAway<T>(
  { models }: Awaited<ReturnType<typeof startTestServer>>,
  work: () => Promise<T>,
): Promise<T> {
  await models.current.inference.killWorker();
  return work();
}

describe('a full queue', () => {
  test('is answered 429 with Retry-After at once, and those who were let in are served', async () => {
    const server = await startTestServer({ bundle: () => bundle, settings: { queue: 4, batchSize: 1 } });
    const answers = await whileWorkerIsAway(server, () =>
      Promise.all(Array.from({ length: 20 }, () => postBytes(server.url, picture))),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20 - refused.length);
    expect(refused.length).toBeGreaterThanOrEqual(10);
    for (const { headers, body } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(body.code).toBe('overloaded');
    }
    expect((await postBytes(server.url, picture)).status).toBe(200);
    expect(server.models.current.inference.state.queued).toBe(0);
  });

  test('refuses before a byte of the body has come', async () => {
    const server = await startTestServer({ bundle: () => bundle, settings: { queue: 1, batchSize: 1 } });
    await server.models.current.inference.killWorker();
    const first = postBytes(server.url, picture);
    await sleep(20);
    const answer = await new Promise<{ status: number | undefined }>((resolve, reject) => {
      const sent = httpRequest(`${server.url}/classify`, {
        method: 'POST',
        headers: { 'content-type': 'image/png', 'content-length': picture.length },
      });
      sent.on('response', (response) => {
        resolve({ status: response.statusCode });
        sent.destroy();
      });
      sent.on('error', reject);
      sent.flushHeaders(); // headers only: the body never comes
    });
    expect(answer.status).toBe(429);
    expect((await first).status).toBe(200);
  });

  test('a client that asks first (Expect: 100-continue) is told no without sending', async () => {
    const server = await startTestServer({ bundle: () => bundle, settings: { queue: 1, batchSize: 1 } });
    await server.models.current.inference.killWorker();
    const first = postBytes(server.url, picture);
    await sleep(20);
    const { heard, status } = await askFirst(server.url, picture);
    expect([heard, status]).toEqual(['no', 429]);
    expect((await first).status).toBe(200);
    expect(await askFirst(server.url, picture)).toEqual({ heard: 'continue', status: 200 });
  });
});

function askFirst(url: string, body: Uint8Array): Promise<{ heard: string; status: number | undefined }> {
  return new Promise((resolve, reject) => {
    let heard = 'no';
    const sent = httpRequest(`${url}/classify`, {
      method: 'POST',
      headers: { 'content-type': 'image/png', 'content-length': body.length, expect: '100-continue' },
    });
    sent.on('continue', () => {
      heard = 'continue';
      sent.end(body);
    });
    sent.on('response', (response) => {
      response.resume();
      resolve({ heard, status: response.statusCode });
      if (heard === 'no') sent.destroy();
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
}

test('uploads together may not take more memory than was set', async () => {
  const settings = { bodyMegabytes: 1, uploadMegabytes: 1.5, callerShare: 1, bodySeconds: 2 };
  const server = await startTestServer({ bundle: () => bundle, settings });
  const slow = httpRequest(`${server.url}/classify`, {
    method: 'POST',
    headers: { 'content-type': 'image/png', 'content-length': 1_000_000 },
  });
  slow.on('error', () => undefined);
  slow.write(Buffer.alloc(800_000));
  await sleep(100);
  const big = Buffer.concat([picture, Buffer.alloc(900_000)]);
  expect((await postBytes(server.url, big)).status).toBe(429);
  expect((await postBytes(server.url, picture)).status).toBe(200); // small ones still fit
  slow.destroy();
  await sleep(100);
  expect((await postBytes(server.url, big)).status).toBe(200); // PNG readers stop at its end
});

test('a deadline that passes is answered 504, and its place is free again', async () => {
  const server = await startTestServer({ bundle: () => bundle, settings: { deadlineSeconds: 0.05 } });
  const answers = await whileWorkerIsAway(server, () =>
    Promise.all(Array.from({ length: 5 }, () => postBytes(server.url, picture))),
  );
  for (const { status, body } of answers) {
    expect(status).toBe(504);
    expect(body.code).toBe('deadline-exceeded');
  }
  expect(server.models.current.inference.state.queued).toBe(0);
});

test('a client that goes away frees its place', async () => {
  const server = await startTestServer({ bundle: () => bundle, settings: { queue: 1, batchSize: 1 } });
  await server.models.current.inference.killWorker();
  const leaving = new AbortController();
  const gone = fetch(`${server.url}/classify`, {
    method: 'POST',
    headers: { 'content-type': 'image/png' },
    body: picture as Uint8Array<ArrayBuffer>,
    signal: leaving.signal,
  }).catch(() => undefined);
  await expect.poll(() => server.models.current.inference.state.queued).toBe(1);
  leaving.abort();
  await gone;
  await expect.poll(() => server.models.current.inference.state.queued).toBe(0);
});

describe('slow and broken clients', () => {
  test('a body that trickles is answered 408', async () => {
    const server = await startTestServer({ bundle: () => bundle, settings: { bodySeconds: 0.3 } });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest(`${server.url}/classify`, {
        method: 'POST',
        headers: { 'content-type': 'image/png', 'content-length': 1000 },
      });
      sent.on('response', (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.write(picture.subarray(0, 100));
    });
    expect(status).toBe(408);
  });

  test('headers that trickle end the connection', async () => {
    const server = await startTestServer({ bundle: () => bundle, settings: { headerSeconds: 0.2 } });
    const { hostname, port } = new URL(server.url);
    const heard = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write('POST /classify HTTP/1.1\r\nHost: x\r\n'),
      );
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => {
        resolve(text);
      });
    });
    expect(heard).toContain('408');
  });

  test('uploads that break off leave nothing behind', async () => {
    const server = await startTestServer({ bundle: () => bundle });
    for (let i = 0; i < 20; i++) {
      const sent = httpRequest(`${server.url}/classify`, {
        method: 'POST',
        headers: { 'content-type': 'image/png', 'content-length': picture.length },
      });
      sent.on('error', () => undefined);
      sent.write(picture.subarray(0, i * 3));
      await sleep(5);
      sent.destroy();
    }
    const answer: Answered = await postPicture(server.url);
    expect(answer.status).toBe(200);
    const { metrics } = server.dependencies;
    await expect.poll(async () => (await metrics.uploadBytes.get()).values[0].value).toBe(0);
    expect((await metrics.queueDepth.get()).values[0].value).toBe(0);
  });
});
