import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { provenSeconds } from '../../server/state.js';
import { childrenOf } from '../../bench/serving/process-tree.js';
import { temporaryFolder } from '../support/folders.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const routes = ['/readyz', '/v2/health/ready', '/v2/models/unseen/ready'];

/** How many pictures, probes among them, went through the network. */
async function picturesRun({ dependencies }: TestServer): Promise<number> {
  const { values } = await dependencies.metrics.batchPictures.get();
  return values.find(({ metricName }) => metricName?.endsWith('_sum'))?.value ?? 0;
}

/** All connections are open before the first of them asks, so that everybody asks within the same moment. */
async function ask({ url }: TestServer, count: number): Promise<Set<string>> {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      return socket;
    }),
  );
  const answers = sockets.map(async (socket, i) => {
    socket.write(
      `GET ${routes[i % routes.length]} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`,
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return first.toString('latin1').slice(9, 12);
  });
  return new Set(await Promise.all(answers));
}

test('however many ask whether an idle server is ready, by whichever route, one picture is put through it', async () => {
  const server = await startTestServer({ bundle: () => bundle });
  const before = await picturesRun(server);
  expect(await ask(server, 30)).toEqual(new Set(['200'])); // the picture of the start counts for a while
  expect(await picturesRun(server)).toBe(before);
  await sleep(1000 * provenSeconds);
  // The small network would answer the first probe before the second is asked for.
  const children = childrenOf(process.pid);
  expect(children).not.toEqual([]);
  for (const pid of children) process.kill(pid, 'SIGSTOP');
  setTimeout(() => {
    for (const pid of children) process.kill(pid, 'SIGCONT');
  }, 1000);
  expect(await ask(server, 300)).toEqual(new Set(['200']));
  expect(await picturesRun(server)).toBe(before + 1);
  expect(await ask(server, 30)).toEqual(new Set(['200'])); // the probe counts for a while
  expect(await picturesRun(server)).toBe(before + 1);
});

test('a probe that gets no answer is tried again for the next who ask', async () => {
  const { inference } = (await startTestServer({ bundle: () => bundle })).models.current;
  const failed = Promise.all([inference.answers(0.001), inference.answers(0.001)]);
  expect(await failed).toEqual([false, false]);
  expect(await inference.answers(10)).toBe(true);
});
