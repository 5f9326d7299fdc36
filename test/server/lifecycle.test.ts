import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { postBytes, send, startTestServer } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const picture = await numbered(1);

test('alive and ready once it listens; not ready while no worker is there, but alive', async () => {
  const server = await startTestServer({ bundle: () => bundle });
  expect(await send(`${server.url}/healthz`)).toMatchObject({
    status: 200,
    body: { status: 'ok', reasons: [] },
  });
  expect((await send(`${server.url}/readyz`)).status).toBe(200);
  await server.models.current.inference.killWorker();
  const away = await send(`${server.url}/readyz`);
  expect(away).toMatchObject({ status: 503, body: { reasons: ['no inference worker is ready'] } });
  expect((await send(`${server.url}/healthz`)).status).toBe(200);
  await expect.poll(async () => (await send(`${server.url}/readyz`)).status).toBe(200);
});

test('after the signal: not ready at once, serves through the grace time, then ends with every answer given', async () => {
  const server = await startTestServer({ bundle: () => bundle });
  let stopped = false;
  const stopping = server.stop(0.5).then(() => (stopped = true));
  expect(await send(`${server.url}/readyz`)).toMatchObject({
    status: 503,
    body: { reasons: ['the server is about to stop'] },
  });
  const statuses: number[] = [];
  while (!stopped) {
    const status = await postBytes(server.url, picture).then(
      (answer) => answer.status,
      () => 'refused connection' as const,
    );
    if (status === 'refused connection') break; // no longer listening: a balancer knew for half a second
    statuses.push(status);
  }
  await stopping;
  expect(statuses.length).toBeGreaterThan(3);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(server.log.at(-1)).toContain('stopped');
});

test('about to stop, it gives up connections with the answers on them, so that none is closed under a request', async () => {
  const server = await startTestServer({ bundle: () => bundle });
  expect((await postBytes(server.url, picture)).headers.get('connection')).toBe('keep-alive');
  const stopping = server.stop(1);
  for (const answer of [await postBytes(server.url, picture), await send(`${server.url}/readyz`)])
    expect(answer.headers.get('connection')).toBe('close');
  await stopping;
});

test('a port that is taken is refused with what to do', async () => {
  const server = await startTestServer({ bundle: () => bundle });
  const port = Number(new URL(server.url).port);
  await expect(startTestServer({ bundle: () => bundle, settings: { port } })).rejects.toThrow(
    /Port \d+ on 127\.0\.0\.1 is taken\. Choose another with --port/,
  );
});
