/** What `npm run bench -- server-abuse` does with 10,000 requests and a real network, here with a few and a small one. */
import { expect, test } from 'vitest';
import { attack } from '../../bench/serving/attack.js';
import { runFloods } from '../../bench/serving/floods.js';
import { pictureSeeds } from '../../bench/serving/malformed/pictures.js';
import { Random } from '../../core/random.js';
import { temporaryFolder } from '../support/folders.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { send, startTestServer } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());

test('malformed requests get no 5xx, nothing hangs, and good requests in between succeed', async () => {
  const { good } = await pictureSeeds();
  const server = await startTestServer({
    settings: { headerSeconds: 0.5, bodySeconds: 0.5, deadlineSeconds: 60 },
    bundle: () => bundle,
  });
  const report = await attack(server.url, {
    requests: 300,
    concurrency: 16,
    random: Random.stream(7, 'abuse'),
    goodEvery: 20,
    good: [good.jpeg],
    patience: 30_000,
  });
  expect(report.offences).toEqual([]);
  expect(report.good.map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 200));
  expect(report.outcomes.size).toBeGreaterThan(40);
  expect((await send(`${server.url}/classes?kind=runtime`)).body.total).toBe(0);
  expect(server.log.filter((line) => /"level":(50|60|"error"|"fatal")/.test(line))).toEqual([]);
});

test('floods of one caller run into their limits, and another caller is answered meanwhile', async () => {
  const { good } = await pictureSeeds();
  const settings = { queue: 32, bodySeconds: 2, deadlineSeconds: 60 };
  const server = await startTestServer({ settings, bundle: () => bundle });
  for (const { name, statuses, good: answers, maxQueued } of await runFloods(server.url, [good.jpeg], {
    count: 40,
  })) {
    expect(Math.max(...statuses), name).toBeLessThan(500);
    // Everybody hears why; save those who, on a busy machine, still send 19 MB when the server has waited long enough.
    if (!name.startsWith('JSON')) expect(statuses, name).not.toContain(0);
    const allowed = name.startsWith('forms') ? [200, 429] : [200]; // forms that are served fill the queue rightly
    expect(
      answers.filter(({ status }) => !allowed.includes(status)),
      name,
    ).toEqual([]);
    expect(answers.length, name).toBeGreaterThan(0);
    expect(maxQueued, name).toBeLessThanOrEqual(32);
  }
  await expect.poll(() => server.models.current.inference.state.queued).toBe(0);
});
