/** Decoders are real processes here, and so are the pictures that harm them. */
import { afterEach, expect, test } from 'vitest';
import sharp from 'sharp';
import { childrenOf, commandOf, residentBytes } from '../../../bench/serving/process-tree.js';
import type { Preprocessing } from '../../../core/backbone/picture-tensor.js';
import { defaultLimits, decode } from '../../../core/backbone/preprocess.js';
import { SharedSlots, slotBytes } from '../../../core/channel/shared-slots.js';
import { Failure } from '../../../core/failures.js';
import { Decoder } from '../../../server/decoding/decoder.js';
import { Decoders, type DecodingSettings } from '../../../server/decoding/decoders.js';
import { decodingCost } from '../../../server/decoding/decoding-cost.js';
import { flatJpeg, flatPng, scannedJpeg, withChunk } from '../../../fixtures/flat-pictures.js';
import { numbered } from '../../support/pictures.js';
import { silentLogger } from '../../support/silent-logger.js';

const preprocessing: Preprocessing = {
  width: 32,
  height: 32,
  fit: 'squash',
  kernel: 'cubic',
  channelOrder: 'rgb',
  layout: 'nhwc',
  scale: 1,
  mean: [0, 0, 0],
  standardDeviation: [1, 1, 1],
};
/** 38 bytes that declare 7070 × 7070 pixels: 400 MB to decode. */
const bomb = Buffer.from('UklGRh4AAABXRUJQVlA4TBEAAAAvnVvnFgdQjyLXo4CBiOh/AAA=', 'base64');
const small = await numbered(1);
const never = new AbortController().signal;
const opened: { readonly close: () => unknown }[] = [];

function open(
  settings: Partial<DecodingSettings> = {},
  slots = SharedSlots.open(),
  estimate: typeof decodingCost = decodingCost,
) {
  const counts = { refused: 0, restarts: 0 };
  const { logger } = silentLogger();
  const metrics = {
    refused: { inc: () => (counts.refused += 1) },
    decoderRestarts: { inc: () => (counts.restarts += 1) },
  } as unknown as ConstructorParameters<typeof Decoders>[1];
  const decoders = new Decoders(
    { decoders: 2, decodeMegabytes: 401, decodeSeconds: 20, ...settings },
    metrics,
    logger,
    slots,
    estimate,
  );
  decoders.startOthers();
  opened.push(decoders, slots);
  const send = (bytes: Uint8Array, signal = never) =>
    decoders.decode({ bytes, name: 'The picture', preprocessing, limits: defaultLimits }, signal);
  return { decoders, send, counts, slots };
}

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

const processes = (): number[] =>
  childrenOf(process.pid).filter((pid) => commandOf(pid).includes('decoding/worker.js'));

/** Slots that nobody holds; takes and returns them all. */
function freeSlots(slots: SharedSlots): number {
  const taken: number[] = [];
  for (let slot = slots.acquire(); slot !== null; slot = slots.acquire()) taken.push(slot);
  for (const slot of taken) slots.release(slot);
  return taken.length;
}

test('pixels are those that decoding in this process gives, and lie in a slot until they are released', async () => {
  const { send, slots } = open();
  const { pixels, release, seconds } = await send(small);
  expect(pixels).toMatchObject({ length: 3 * 32 * 32 });
  expect(pixels).not.toBeInstanceOf(Uint8Array);
  expect(Buffer.from(slots.file!.get(pixels))).toEqual(Buffer.from(await decode(small, 'x', preprocessing)));
  expect(seconds).toBeGreaterThan(0);
  expect(freeSlots(slots)).toBe(127);
  release();
  expect(freeSlots(slots)).toBe(128);
});

test('while every slot is in use a picture waits with its bytes, and is decoded when one comes back', async () => {
  const { send, slots } = open();
  const { pixels, release } = await send(small);
  const others = Array.from({ length: 127 }, () => slots.acquire());
  const late = send(small);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(slots.acquire()).toBeNull();
  expect(await Promise.race([late, Promise.resolve('waits')])).toBe('waits');
  release();
  expect((await late).pixels).toEqual(pixels); // the same slot
  for (const slot of others) slots.release(slot);
});

test('pictures larger than a slot, and machines without shared memory, get the same pixels', async () => {
  const noise = {
    create: {
      width: 500,
      height: 500,
      channels: 3 as const,
      background: 'white',
      noise: { type: 'gaussian' as const, mean: 128, sigma: 60 },
    },
  };
  const large = await sharp(noise).png().toBuffer();
  expect(large.length).toBeGreaterThan(slotBytes);
  const expected = Buffer.from(await decode(large, 'x', preprocessing));
  const { send, slots } = open();
  const { pixels } = await send(large);
  expect(Buffer.from(slots.file!.get(pixels))).toEqual(expected);
  const without = open({}, SharedSlots.open('/no/such/folder'));
  expect(Buffer.from((await without.send(large)).pixels as Uint8Array)).toEqual(expected);
});

test('a slot comes back from pictures that are refused, that nobody waits for, and that lose their decoder', async () => {
  const { send, slots, decoders } = open();
  await expect(send(small.subarray(0, 60))).rejects.toMatchObject({ code: 'image-invalid' });
  await decoders.started;
  const pictures = await Promise.all(Array.from({ length: 20 }, (_, i) => numbered(i, 300)));
  const leaving = new AbortController();
  const left = Promise.allSettled(pictures.map((picture) => send(picture, leaving.signal)));
  leaving.abort(new Failure('deadline-exceeded', 'too late'));
  await left;
  await expect.poll(() => freeSlots(slots)).toBe(128);
  const answers = pictures.map((picture) => send(picture));
  process.kill(processes()[0], 'SIGKILL');
  for (const { release } of await Promise.all(answers)) release();
  await expect.poll(() => freeSlots(slots)).toBe(128);
});

test('what is wrong with a picture is told as everywhere', async () => {
  const { send } = open();
  await expect(send(Buffer.from('no picture'))).rejects.toMatchObject({ code: 'image-type-refused' });
  await expect(send(small.subarray(0, 60))).rejects.toMatchObject({ code: 'image-invalid' });
});

test('large pictures are decoded one at a time, and ordinary ones beside them', async () => {
  const { send } = open();
  await send(small);
  const finished: string[] = [];
  const note =
    (name: string) =>
    <T>(value: T): T => {
      finished.push(name);
      return value;
    };
  const large = Promise.allSettled(Array.from({ length: 3 }, () => send(bomb).then(note('large'))));
  const ordinary: Promise<unknown>[] = [];
  for (let i = 0; i < 20; i++) ordinary.push(send(await numbered(i)).then(note('small')));
  await Promise.all(ordinary);
  // On a busy machine the last of them may have waited for too long.
  const timed = (await large).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(timed.length).toBeGreaterThan(0);
  expect(finished.slice(0, 20).filter((name) => name === 'small').length).toBeGreaterThanOrEqual(18);
  const spans = timed
    .map(({ startedAt, seconds }) => [startedAt, startedAt + 1000 * seconds])
    .sort(([a], [b]) => a - b);
  for (let i = 1; i < spans.length; i++) expect(spans[i][0]).toBeGreaterThanOrEqual(spans[i - 1][1]);
});

test('more large pictures than may wait are refused at once, and nothing else is', async () => {
  const { send, counts } = open();
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 12 }, () => send(bomb, AbortSignal.timeout(300))),
    send(small),
  ]);
  const refused = outcomes.filter(
    (one) => one.status === 'rejected' && (one.reason as Failure).code === 'overloaded',
  );
  expect(refused.length).toBeGreaterThanOrEqual(3);
  expect(counts.refused).toBe(refused.length);
  expect(outcomes.at(-1)!.status).toBe('fulfilled');
});

test('a picture that would take more than the whole budget is refused, with what it takes and what is allowed', async () => {
  const { send } = open({ decodeMegabytes: 100 });
  await expect(send(bomb)).rejects.toThrow(
    'The picture would take 400 MB to decode; at most 100 MB are allowed here (--decode-megabytes).',
  );
});

test('a picture that takes too long is refused, and its decoder is replaced', async () => {
  const { send, decoders, counts } = open({ decodeSeconds: 0.2 });
  await decoders.started;
  await expect(send(bomb)).rejects.toMatchObject({
    code: 'image-invalid',
    message: 'The picture takes more than 0.2 s to decode. Make it smaller.',
  });
  await expect.poll(() => decoders.ready).toBe(2);
  expect(counts.restarts).toBe(1);
});

test('a decoder that is killed takes no picture with it; one that is stopped is found out', async () => {
  const { send, decoders } = open();
  await send(small);
  const pictures = await Promise.all(Array.from({ length: 40 }, (_, i) => numbered(i, 300)));
  const answers = pictures.map((picture) => send(picture));
  process.kill(processes()[0], 'SIGKILL');
  expect((await Promise.all(answers)).length).toBe(40);
  await expect.poll(() => decoders.ready).toBe(2);
  await expect.poll(() => processes().length).toBe(2);
  await Promise.all([send(small), send(small)]); // both are up
  for (const pid of processes()) process.kill(pid, 'SIGSTOP');
  expect((await send(small)).pixels.length).toBe(3 * 32 * 32);
});

test('whoever stops waiting is answered at once, and their place is free', async () => {
  const { send } = open({ decoders: 1 });
  await send(small);
  const controller = new AbortController();
  const first = send(bomb, controller.signal);
  const second = send(bomb, controller.signal);
  controller.abort(new Failure('deadline-exceeded', 'too late'));
  for (const one of [first, second]) await expect(one).rejects.toThrow('too late');
  expect((await send(small)).pixels.length).toBeGreaterThan(0);
});

test('closing answers whoever waits', async () => {
  const { send, decoders } = open({ decoders: 1 });
  const waiting = [send(bomb), send(bomb)];
  const settled = Promise.allSettled(waiting);
  await decoders.close();
  for (const one of await settled) expect(one.status).toBe('rejected');
});

test('memory is estimated from what is declared: whole pictures, rows, nothing for what is refused by its header', async () => {
  const flat = sharp({ create: { width: 2000, height: 1500, channels: 3, background: 'red' } });
  const of = async (make: Promise<Buffer>): Promise<number> => decodingCost(await make, defaultLimits).memory;
  expect(decodingCost(bomb, defaultLimits)).toEqual({ memory: 7070 * 7070 * 8, isLarge: true });
  expect(await of(flat.clone().jpeg().toBuffer())).toBe(2000 * 1400 * 3);
  expect(await of(flat.clone().jpeg({ progressive: true }).toBuffer())).toBe(2000 * 1500 * 6);
  expect(await of(flat.clone().png({ progressive: true }).toBuffer())).toBe(2000 * 1500 * 4);
  expect(decodingCost(bomb, { pixels: 1e6 })).toEqual({ memory: 0, isLarge: false });
  expect(decodingCost(Buffer.from([0xff, 0xd8, 0xff]), { pixels: 1e6 }).memory).toBe(8e6);
  expect(decodingCost(Buffer.from('hello'), defaultLimits)).toEqual({ memory: 0, isLarge: false });
});

test('what is no picture, or a damaged one, is refused for that, however little memory decoding may take', async () => {
  const { send } = open({ decodeMegabytes: 340 });
  await expect(send(Buffer.from('hello'))).rejects.toThrow('The picture is text: only JPEG, PNG and WebP');
  await expect(send(Buffer.alloc(0))).rejects.toThrow('The picture is an empty file');
  await expect(send(Buffer.from('GIF89a'))).rejects.toThrow('The picture is GIF');
  await expect(send(Buffer.from([0xff, 0xd8, 0xff, 0x00]))).rejects.toThrow('cut off or damaged');
});

test('a camera’s 12 and 48 megapixels are ordinary; few and many rows, packed text and many scans are not', async () => {
  const cost = (bytes: Uint8Array) => decodingCost(bytes, defaultLimits);
  for (const [width, height] of [
    [4000, 3000],
    [8000, 6000],
  ])
    expect(cost(flatJpeg(width, height))).toEqual({ memory: width * 1400 * 3, isLarge: false });
  expect(cost(flatJpeg(7000, 7000, { isInterleaved: false }))).toEqual({ memory: 294e6, isLarge: true });
  expect(cost(flatPng(4000, 3000)).isLarge).toBe(false);
  expect(cost(flatPng(1, 16_000)).isLarge).toBe(false);
  expect(cost(flatPng(1, 2_000_000)).isLarge).toBe(true);
  expect(cost(withChunk(flatPng(64, 64), 'zTXt', Buffer.alloc(200_000))).isLarge).toBe(true);
  // Measured: 5 s, of 66 kB.
  expect(cost(scannedJpeg(2000, 2000))).toEqual({ memory: 8e6, isLarge: true });
  expect(cost(scannedJpeg(300, 300)).isLarge).toBe(false);
  const flat = sharp({ create: { width: 3600, height: 2900, channels: 3, background: 'red' } });
  expect(cost(await flat.jpeg({ progressive: true }).toBuffer()).isLarge).toBe(false); // as photographs on the web are
  // Measured: 1.3 GB, of 146 kB.
  expect(cost(flatPng(50_000_000, 1)).memory).toBeGreaterThan(1.3e9);
  await expect(open().send(flatPng(50_000_000, 1))).rejects.toThrow('would take 8500 MB to decode');
});

const shapes: readonly (readonly [string, Uint8Array])[] = [
  ['a JPEG with a scan for each colour', flatJpeg(5000, 5000, { isInterleaved: false })],
  ['a JPEG of few rows', flatJpeg(65_500, 400)],
  ['a PNG of one row', flatPng(2_000_000, 1)],
  ['a PNG of few rows', flatPng(50_000, 600)],
];
test.each(shapes)('%s takes no more memory than is estimated', async (_name, bytes) => {
  const { send } = open({ decoders: 1, decodeMegabytes: 1000 });
  await send(small);
  const [pid] = processes();
  const before = residentBytes(pid);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentBytes(pid))), 2);
  await send(bytes);
  clearInterval(watch);
  expect(most - before).toBeLessThan(1.15 * decodingCost(bytes, defaultLimits).memory + 20e6);
});

test('a decoder that takes more than it may says so, and is ended by whoever asked', async () => {
  const slots = SharedSlots.open();
  const decoder = new Decoder(slots);
  opened.push(decoder, slots);
  await decoder.ready;
  const picture = { name: 'x', preprocessing, limits: defaultLimits, slot: null };
  const ask = (bytes: Uint8Array, maxGrowth: number) => decoder.decode({ ...picture, bytes, maxGrowth }, 20);
  expect(await ask(small, 64e6)).toHaveLength(3 * 32 * 32);
  expect(await ask(bomb, 100e6)).toBeNull();
});

/** As for a small picture, whatever it is. */
const tooLow: typeof decodingCost = () => ({ memory: 1e6, isLarge: false });

test('a picture that takes far more memory than was estimated is refused, its decoder is replaced, and others go on', async () => {
  const { send, decoders, counts, slots } = open({}, SharedSlots.open(), tooLow);
  await decoders.started;
  await expect.poll(() => decoders.ready).toBe(2);
  await Promise.all([send(small), send(small)]).then((both) => {
    for (const { release } of both) release();
  });
  const before = processes();
  expect(before).toHaveLength(2);
  const harmful = send(bomb);
  const others = Promise.all(Array.from({ length: 20 }, async (_, i) => send(await numbered(i))));
  await expect(harmful).rejects.toMatchObject({
    code: 'image-invalid',
    message:
      'The picture takes more memory to decode than a picture of its size should. Save it again with another program.',
  });
  const decoded = await others;
  expect(decoded).toHaveLength(20);
  for (const { pixels, release } of decoded) {
    expect(pixels).toHaveLength(3 * 32 * 32);
    release();
  }
  await expect.poll(() => decoders.ready).toBe(2);
  await expect.poll(() => processes().filter((pid) => before.includes(pid))).toHaveLength(1);
  await expect.poll(() => processes()).toHaveLength(2);
  await expect.poll(() => freeSlots(slots)).toBe(128);
  expect(counts).toEqual({ refused: 0, restarts: 0 }); // ended on purpose: no fault of a decoder
});

test('with one decoder, a picture that waits behind one that outgrows its estimate is decoded by the next', async () => {
  const { send, decoders } = open({ decoders: 1 }, SharedSlots.open(), tooLow);
  await decoders.started;
  const [pid] = processes();
  const harmful = send(bomb);
  const waiting = send(small);
  await expect(harmful).rejects.toThrow('takes more memory to decode than a picture of its size should');
  expect((await waiting).pixels).toHaveLength(3 * 32 * 32);
  await expect.poll(() => processes()).not.toContain(pid);
});
