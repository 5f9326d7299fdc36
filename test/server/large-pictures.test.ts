/** Files of a few bytes that are pictures of 50 megapixels: they are answered or refused, and nobody else notices. */
import { expect, test } from 'vitest';
import { scannedJpeg } from '../../fixtures/flat-pictures.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { temporaryFolder } from '../support/folders.js';
import { numbered } from '../support/pictures.js';
import { postBytes, send, startTestServer } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const bomb = Buffer.from('UklGRh4AAABXRUJQVlA4TBEAAAAvnVvnFgdQjyLXo4CBiOh/AAA=', 'base64');

test('ordinary pictures are answered beside many at once, and the memory of this process stays', async () => {
  const server = await startTestServer({ settings: { decodeMegabytes: 401 }, bundle: () => bundle });
  const good = await Promise.all(Array.from({ length: 20 }, (_, i) => numbered(i)));
  for (const picture of good) expect((await postBytes(server.url, picture)).status).toBe(200);
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  const large = Array.from({ length: 16 }, () =>
    postBytes(server.url, bomb, '', { 'content-type': 'image/webp' }),
  );
  const answers: number[] = [];
  for (const picture of good) answers.push((await postBytes(server.url, picture)).status);
  const statuses = new Set((await Promise.all(large)).map(({ status }) => status));
  clearInterval(watch);
  expect(new Set(answers)).toEqual(new Set([200]));
  expect([...statuses].filter((status) => status !== 200 && status !== 429)).toEqual([]);
  expect(peak - before).toBeLessThan(150 * 2 ** 20); // decoding one of them takes 400 MB
  expect((await send(`${server.url}/metrics`)).body).toMatch(
    /unseen_refused_total\{reason="decoding-full"\} \d+/,
  );
});

test('ordinary pictures are answered beside small ones that take seconds, because each is decoded a thousand times over', async () => {
  const server = await startTestServer({ bundle: () => bundle });
  const good = await Promise.all(Array.from({ length: 20 }, (_, i) => numbered(i)));
  const bytes = scannedJpeg(4000, 4000); // 16 megapixels of one colour: 32 MB, so not large by its memory
  const slow = Array.from({ length: 12 }, () =>
    postBytes(server.url, bytes, '', { 'content-type': 'image/jpeg' }),
  );
  const times: number[] = [];
  for (const picture of good) {
    const started = performance.now();
    expect((await postBytes(server.url, picture)).status).toBe(200);
    times.push(performance.now() - started);
  }
  expect(Math.max(...times)).toBeLessThan(4000); // one of them alone takes longer
  for (const { status } of await Promise.all(slow)) expect([200, 422, 429]).toContain(status);
});

test('a picture of 38 bytes that would take more memory than all together may is refused by its header', async () => {
  const server = await startTestServer({ bundle: () => bundle });
  const answer = await postBytes(server.url, bomb, '', { 'content-type': 'image/webp' });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body)).toContain('would take 400 MB to decode; at most 340 MB are allowed');
});

test('a decoder that is lost is replaced, and pictures are answered meanwhile', async () => {
  const server = await startTestServer({ bundle: () => bundle });
  const { decoders } = server;
  const posts = Array.from({ length: 12 }, async (_, i) => postBytes(server.url, await numbered(i, 200)));
  await decoders.killDecoder();
  expect(new Set((await Promise.all(posts)).map(({ status }) => status))).toEqual(new Set([200]));
  await expect.poll(() => decoders.ready).toBe(2);
});
