import { expect, test } from 'vitest';
import { Batcher, batchSizes } from '../../../server/inference/batcher.js';
import { Job } from '../../../server/inference/job.js';

const never = new AbortController().signal;
const picture = (value: number, signal = never): Job =>
  new Job({ pixels: Uint8Array.of(value, value) }, { topK: value }, signal);
const row = (value: number): Job => new Job({ features: Float32Array.of(value) }, { topK: 1 }, never);

function filled(count: number, sizes = batchSizes(8, null)): Batcher {
  const batcher = new Batcher(sizes);
  for (let i = 0; i < count; i++) batcher.add(picture(i));
  return batcher;
}

test('sizes are powers of two up to the largest, or the one that the network has', () => {
  expect(batchSizes(8, null)).toEqual([1, 2, 4, 8]);
  expect(batchSizes(6, null)).toEqual([1, 2, 4, 6]);
  expect(batchSizes(1, null)).toEqual([1]);
  expect(batchSizes(8, 3)).toEqual([3]);
});

test('a batch is the largest size that is full, in the order of arrival', () => {
  const batcher = filled(13);
  const counts = [];
  const seen = [];
  for (let jobs = batcher.nextBatch(); jobs.length > 0; jobs = batcher.nextBatch()) {
    counts.push(jobs.length);
    seen.push(...jobs.map((job) => job.options.topK));
  }
  expect(counts).toEqual([8, 4, 1]);
  expect(seen).toEqual(Array.from({ length: 13 }, (_, i) => i));
});

test('a network with a fixed batch gets its room, however few pictures there are', () => {
  const batcher = filled(2, [4]);
  const jobs = batcher.nextBatch();
  const batch = batcher.batchOf(jobs);
  expect(batch).toMatchObject({
    kind: 'pictures',
    room: 4,
    pictures: [Uint8Array.of(0, 0), Uint8Array.of(1, 1)],
  });
  expect(batch.options).toHaveLength(2);
});

test('pictures and rows of features do not share a batch, and keep their order', () => {
  const batcher = new Batcher(batchSizes(8, null));
  for (const job of [picture(1), picture(2), row(3), row(4), picture(5)]) batcher.add(job);
  const kinds = [];
  for (let jobs = batcher.nextBatch(); jobs.length > 0; jobs = batcher.nextBatch())
    kinds.push([batcher.batchOf(jobs).kind, jobs.length]);
  expect(kinds).toEqual([
    ['pictures', 2],
    ['features', 2],
    ['pictures', 1],
  ]);
});

test('what was given up on the way is dropped, and what is put back goes first', async () => {
  const batcher = new Batcher(batchSizes(8, null));
  const leaving = new AbortController();
  const gone = picture(1, leaving.signal);
  for (const job of [gone, picture(2), picture(3)]) batcher.add(job);
  leaving.abort(new Error('gone'));
  await expect(gone.answer).rejects.toThrow('gone');
  batcher.putBack([picture(9)]);
  expect(batcher.nextBatch().map((job) => job.options.topK)).toEqual([9, 2]);
  expect(batcher.nextBatch().map((job) => job.options.topK)).toEqual([3]);
  expect(batcher.nextBatch()).toEqual([]);
});
