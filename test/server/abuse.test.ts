/** What `npm run bench -- server-abuse` does with 10,000 requests and a real network, here with a few and a small one. */
import { expect, test } from 'vitest';
import { attack } from '../../bench/serving/attack.js';
import { pictureSeeds } from '../../bench/serving/malformed/pictures.js';
import { Random } from '../../core/random.js';
import { temporaryFolder } from '../support/folders.js';
import { trainSmallBundle } from '../support/small-bundle.js';
import { send, startTestServer } from '../support/test-server.js';

test('malformed requests get no 5xx, nothing hangs, and good requests in between succeed', async () => {
  const { bundle } = await trainSmallBundle(temporaryFolder());
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
