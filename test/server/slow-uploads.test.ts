/** Clients that announce much and send little must not keep others out. */
import { request as httpRequest, type ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { postBytes, startTestServer, type TestServer } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const picture = await numbered(1);

interface SlowUpload {
  readonly sent: ClientRequest;
  /** 0: the connection was closed without an answer. */
  readonly status: Promise<number>;
}

function startUpload(
  { url }: TestServer,
  {
    announced,
    from = '127.0.0.1',
    headers = {},
  }: { announced: number; from?: string; headers?: Record<string, string> },
): SlowUpload {
  const sent = httpRequest(`${url}/classify`, {
    method: 'POST',
    agent: false,
    localAddress: from,
    headers: { 'content-type': 'image/png', 'content-length': announced, ...headers },
  });
  const status = new Promise<number>((resolve) => {
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', () => {
      resolve(0);
    });
  });
  sent.flushHeaders();
  onTestFinished(() => void sent.destroy());
  return { sent, status };
}

/** A whole picture from an address of its own. */
function postFrom(server: TestServer, from: string, headers: Record<string, string> = {}): Promise<number> {
  const { sent, status } = startUpload(server, { announced: picture.length, from, headers });
  sent.end(picture);
  return status;
}

test('silent uploads that announce more than there is room for keep nobody out', async () => {
  const server = await startTestServer({ bundle: () => bundle, settings: { uploadMegabytes: 512 } });
  for (let i = 0; i < 32; i++) startUpload(server, { announced: 16_000_000 }); // 512 MB, of which nothing is sent
  await sleep(100);
  for (let i = 0; i < 3; i++) expect((await postBytes(server.url, picture)).status).toBe(200);
});

test('uploads that have not arrived do not count as a wait for others, however slow the machine is', async () => {
  const server = await startTestServer({ bundle: () => bundle, settings: { batchSize: 1, queueSeconds: 5 } });
  const pool = Reflect.get(server.models.current.inference, 'pool') as { secondsPerPicture: number };
  for (let i = 0; i < 40; i++) startUpload(server, { announced: 20_000_000, from: '127.0.0.2' });
  await expect.poll(() => server.models.current.inference.state.queued).toBe(40);
  pool.secondsPerPicture = 1; // so that 40 pictures would take 40 s
  expect(await postFrom(server, '127.0.0.3')).toBe(200);
});

test('one caller’s slow uploads fill that caller’s share of the queue, and others are answered', async () => {
  const server = await startTestServer({ bundle: () => bundle, settings: { queue: 8, callerShare: 0.5 } });
  const slow = Array.from({ length: 40 }, () => startUpload(server, { announced: 1000, from: '127.0.0.2' }));
  const refused = slow.slice(4).map(({ status }) => status);
  expect(new Set(await Promise.all(refused))).toEqual(new Set([429]));
  expect(await postFrom(server, '127.0.0.2')).toBe(429);
  for (let i = 0; i < 3; i++) expect(await postFrom(server, '127.0.0.3')).toBe(200);
});

test('with keys it is the key that counts as the caller, not the address', async () => {
  const settings = { queue: 8, callerShare: 0.5, apiKeys: ['the-first-key-of-two', 'the-second-key-of-two'] };
  const server = await startTestServer({ bundle: () => bundle, settings });
  const [first, second] = settings.apiKeys.map((key) => ({ authorization: `Bearer ${key}` }));
  for (let i = 0; i < 4; i++) startUpload(server, { announced: 1000, headers: first });
  await sleep(100);
  expect((await postBytes(server.url, picture, '', first)).status).toBe(429);
  expect((await postBytes(server.url, picture, '', second)).status).toBe(200);
});

test('a key that nobody asked for makes no other caller', async () => {
  const server = await startTestServer({ bundle: () => bundle, settings: { queue: 8, callerShare: 0.5 } });
  for (let i = 0; i < 4; i++)
    startUpload(server, { announced: 1000, headers: { authorization: `Bearer made up ${i}` } });
  await sleep(100);
  expect((await postBytes(server.url, picture)).status).toBe(429);
});

test('bytes count once they are there: for all together, and for each caller', async () => {
  const settings = { bodyMegabytes: 1, uploadMegabytes: 2, callerShare: 0.5 };
  const server = await startTestServer({ bundle: () => bundle, settings });
  const padded = Buffer.concat([picture, Buffer.alloc(900_000)]); // PNG readers stop at its end
  const holding = async (from: string): Promise<SlowUpload> => {
    const upload = startUpload(server, { announced: 1_000_000, from });
    upload.sent.write(padded.subarray(0, 800_000));
    await expect
      .poll(async () => (await metrics.uploadBytes.get()).values[0].value)
      .toBeGreaterThanOrEqual((held += 800_000));
    return upload;
  };
  const { metrics } = server.dependencies;
  let held = 0;
  const { sent } = await holding('127.0.0.1');
  expect((await postBytes(server.url, padded)).status).toBe(429); // this caller's share
  expect((await postBytes(server.url, picture)).status).toBe(200); // small ones still fit
  await holding('127.0.0.2');
  const third = startUpload(server, { announced: padded.length, from: '127.0.0.3' });
  third.sent.end(padded);
  expect(await third.status).toBe(429); // the room of all
  sent.destroy();
  await expect.poll(async () => (await postBytes(server.url, padded)).status).toBe(200);
});

test('a body that comes in drops is ended with 408 long before its time is over', async () => {
  const server = await startTestServer({ bundle: () => bundle, settings: { bodySeconds: 60 } });
  const silent = startUpload(server, { announced: 100_000 });
  const dripping = startUpload(server, { announced: 100_000 });
  const drops = setInterval(() => dripping.sent.write(Buffer.alloc(50)), 100);
  onTestFinished(() => {
    clearInterval(drops);
  });
  const steady = startUpload(server, { announced: picture.length + 5000 });
  steady.sent.write(picture);
  for (let i = 0; i < 25; i++) {
    await sleep(200);
    steady.sent.write(Buffer.alloc(200)); // exactly as fast as is asked for
  }
  expect([await silent.status, await dripping.status, await steady.status]).toEqual([408, 408, 200]);
}, 30_000);
