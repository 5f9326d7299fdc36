/**
 * The sample of classified pictures: features are collected in memory and written to the pool `traffic` some at a time, never on the
 * way of a request. What comes in faster than it is written is thinned as the pool itself is. What cannot be written is dropped: a
 * sample can be spared, a request cannot.
 */
import type { AnsweredCount, Pools, PoolRow } from '../classes/store/pools.js';
import { hourMilliseconds, priorityOf, trafficPool } from '../classes/store/pools.js';
import type { Logger } from '../observability/logger.js';
import { poolPicture } from './pool-row.js';

interface SampleOptions {
  /** Most rows of the pool. */
  readonly limit: number;
  readonly backbone: string;
  readonly pools: Pick<Pools, 'sample'>;
  readonly logger: Logger;
  /** Between two writes. */
  readonly flushMilliseconds?: number;
}

/** Rows in one write: a megabyte of features of a large network. */
const rowsPerWrite = 256;
const seed = 1;

export class TrafficSample {
  private rows = new Map<string, PoolRow>();
  private counts = new Map<string, AnsweredCount>();
  private readonly timer: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();
  private hasFailed = false;

  constructor(private readonly options: SampleOptions) {
    this.timer = setInterval(() => void this.flush(), options.flushMilliseconds ?? 5_000);
    this.timer.unref();
  }

  offer(features: Float32Array, answered: string, at = Date.now()): void {
    const picture = poolPicture(features, answered);
    this.rows.set(picture.id, { ...picture, at });
    const hour = Math.floor(at / hourMilliseconds);
    const key = `${hour} ${answered}`;
    const pictures = (this.counts.get(key)?.pictures ?? 0) + 1;
    this.counts.set(key, { answered, hour, pictures });
    if (this.rows.size >= 2 * rowsPerWrite) this.rows = thinned(this.rows, rowsPerWrite);
  }

  /** Resolves when everything offered so far is written, or dropped. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async write(): Promise<void> {
    if (this.counts.size === 0) return;
    const rows = [...thinned(this.rows, rowsPerWrite).values()];
    const counts = [...this.counts.values()];
    this.rows = new Map();
    this.counts = new Map();
    const { pools, backbone, limit, logger } = this.options;
    try {
      await pools.sample({ pool: trafficPool, backbone }, rows, counts, limit);
      this.hasFailed = false;
    } catch (error) {
      if (!this.hasFailed)
        logger.warn({ err: error, rows: rows.length }, 'Features of classified pictures could not be kept.');
      this.hasFailed = true; // once is enough until it works again
    }
  }
}

/** So many at most, spread evenly over the answers; under each those of the lowest priority. */
function thinned(rows: ReadonlyMap<string, PoolRow>, limit: number): Map<string, PoolRow> {
  if (rows.size <= limit) return new Map(rows);
  const byAnswer = new Map<string, { readonly row: PoolRow; readonly priority: number }[]>();
  for (const row of rows.values()) {
    const others = byAnswer.get(row.answered) ?? [];
    byAnswer.set(row.answered, others);
    others.push({ row, priority: priorityOf(row.id, seed) });
  }
  const ranked = [...byAnswer.values()].flatMap((all) =>
    all.sort((a, b) => a.priority - b.priority).map((one, rank) => ({ ...one, rank })),
  );
  ranked.sort((a, b) => a.rank - b.rank || a.priority - b.priority);
  return new Map(ranked.slice(0, limit).map(({ row }) => [row.id, row]));
}
