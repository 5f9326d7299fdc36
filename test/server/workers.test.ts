import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { postBytes, send, startTestServer } from '../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { bundle: second } = await trainSmallBundle(folder, 2);
const pictures = await Promise.all(Array.from({ length: 8 }, (_, i) => numbered(i)));

/** Posts pictures one after another from several clients until told to stop; all answers. */
function load(url: string, clients: number) {
  let going = true;
  const statuses: number[] = [];
  const versions = new Set<string>();
  const done = Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let i = client; going; i++) {
        const { status, body } = await postBytes(url, pictures[i % pictures.length]);
        statuses.push(status);
        if (status === 200) versions.add(body.model.version as string);
      }
    }),
  );
  const stop = async (): Promise<{ statuses: number[]; versions: Set<string> }> => {
    going = false;
    await done;
    return { statuses, versions };
  };
  return { stop };
}

test('a worker that dies under load is replaced, and its pictures are answered all the same', async () => {
  const server = await startTestServer({ bundle: () => bundle });
  const clients = load(server.url, 8);
  for (let kill = 0; kill < 5; kill++) {
    await sleep(60);
    await server.models.current.inference.killWorker();
    await expect.poll(() => server.models.current.inference.state.workersReady, { timeout: 10_000 }).toBe(1);
  }
  const { statuses } = await clients.stop();
  expect(statuses.length).toBeGreaterThan(20);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(statuses.filter((status) => status === 503).length).toBeLessThan(statuses.length / 10);
  expect((await server.dependencies.metrics.workerRestarts.get()).values[0].value).toBe(5);
});

test('batches give each picture the answer that it gets alone', async () => {
  const server = await startTestServer({ bundle: () => bundle, settings: { workers: 2, batchSize: 8 } });
  const alone: { class: string; probability: number }[][] = [];
  for (const picture of pictures) alone.push((await postBytes(server.url, picture)).body.predictions);
  const together = await Promise.all(pictures.map((picture) => postBytes(server.url, picture)));
  together.forEach(({ body }, i) => {
    body.predictions.forEach(
      ({ class: name, probability }: { class: string; probability: number }, k: number) => {
        expect(name).toBe(alone[i][k].class);
        expect(probability).toBeCloseTo(alone[i][k].probability, 5);
      },
    );
  });
});

test('a second bundle takes over without a failed request', async () => {
  let current = bundle;
  const server = await startTestServer({ bundle: () => current });
  const clients = load(server.url, 6);
  await sleep(100);
  expect((await send(`${server.url}/admin/reload`, { method: 'POST' })).body.changed).toBe(false);
  current = second;
  const { status, body } = await send(`${server.url}/admin/reload`, { method: 'POST' });
  expect([status, body]).toEqual([200, { version: second.identity, changed: true }]);
  await sleep(100);
  const { statuses, versions } = await clients.stop();
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(versions).toEqual(new Set([bundle.identity, second.identity]));
  expect((await postBytes(server.url, pictures[0])).body.model.version).toBe(second.identity);
});

test('a bundle that cannot be loaded leaves the one that serves', async () => {
  let broken = false;
  const server = await startTestServer({
    bundle: () => {
      if (broken) throw new Error('/secret/path is gone');
      return bundle;
    },
  });
  broken = true;
  const { status, body } = await send(`${server.url}/admin/reload`, { method: 'POST' });
  expect(status).toBe(500);
  expect(JSON.stringify(body)).not.toContain('secret');
  expect(server.log.join('')).toContain('/secret/path is gone');
  expect((await postBytes(server.url, pictures[0])).status).toBe(200);
});
