/**
 * Dynamic batching: a worker that becomes free gets what waits, up to the largest batch size that is full. No picture waits for
 * a batch to fill: under load batches fill while the workers are busy, and without load a picture is sent at once.
 * Only these few sizes are used, because memory grows with each, and none is padded (unless the network has a fixed batch).
 */
import type { Job } from './job.js';
import type { Batch } from './worker-protocol.js';

/** Rows of features in one run: they skip the network, so that only memory bounds them. */
const maxFeatureRows = 256;

/** 1, 2, 4, … up to the size given, which is always among them. */
export function batchSizes(largest: number, fixed: number | null): number[] {
  if (fixed !== null) return [fixed];
  const sizes: number[] = [];
  for (let size = 1; size < largest; size *= 2) sizes.push(size);
  return [...sizes, largest];
}

export class Batcher {
  private waiting: Job[] = [];

  constructor(private readonly sizes: readonly number[]) {}

  get length(): number {
    return this.waiting.length;
  }

  /** A whole batch of the largest size waits: running it early makes no batch smaller. */
  get hasFullBatch(): boolean {
    return this.waiting.length >= this.sizes.at(-1)!;
  }

  add(job: Job): void {
    this.waiting.push(job);
  }

  /** Jobs whose worker died go first: they have waited longest. */
  putBack(jobs: readonly Job[]): void {
    this.waiting.unshift(...jobs);
  }

  /** Removes and returns the jobs of the next batch; none when nothing waits. Jobs that nobody waits for any more are dropped. */
  nextBatch(): Job[] {
    this.waiting = this.waiting.filter((job) => !job.settled);
    if (this.waiting.length === 0) return [];
    const ofPictures = 'pixels' in this.waiting[0].content;
    let alike = this.waiting.findIndex((job) => 'pixels' in job.content !== ofPictures);
    if (alike < 0) alike = this.waiting.length;
    const fitting = this.sizes.filter((size) => size <= alike).at(-1) ?? Math.min(alike, this.sizes[0]);
    return this.waiting.splice(0, ofPictures ? fitting : Math.min(alike, maxFeatureRows));
  }

  /** Removes and returns everything that waits. */
  drain(): Job[] {
    return this.waiting.splice(0);
  }

  batchOf(jobs: readonly Job[]): Batch {
    const options = jobs.map((job) => job.options);
    const pictures = jobs.flatMap(({ content }) => ('pixels' in content ? [content.pixels] : []));
    if (pictures.length > 0) {
      const room = this.sizes.find((size) => size >= pictures.length)!;
      return { kind: 'pictures', pictures, room, options };
    }
    const rows = jobs.flatMap(({ content }) => ('features' in content ? [content.features] : []));
    const width = rows[0].length;
    const features = new Float32Array(rows.length * width);
    rows.forEach((row, i) => {
      features.set(row, i * width);
    });
    return { kind: 'features', features, options };
  }
}
