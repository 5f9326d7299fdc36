/**
 * Pools: features of unlabelled pictures, never the pictures. The pool `traffic` is a bounded sample of the pictures that were
 * classified; others hold pictures that were sent for it. Rows of different networks share a pool without being mixed.
 *
 * A pool over its limit gives up rows so that what is left is spread evenly over what was answered, and under each answer over the
 * hours: rows are ranked by priority in each hour of a class, then in each class with the hours taking turns, and the first ranks of
 * all classes stay. The priority of a row is a hash of it, so that every row of an hour has the same chance, whichever replica saw it
 * and however often it came.
 */
import { sha256Of } from '../../../core/hash.js';
import type { StoreAccess } from './access.js';
import { halvesFromBytes, halvesToBytes } from './content.js';
import type { Query } from './database.js';
import { chunks, marks } from './statements.js';

export const trafficPool = 'traffic';
export const hourMilliseconds = 3_600_000;

/** One picture. */
export interface PoolRow {
  /** The same features have the same id. */
  readonly id: string;
  readonly features: Uint16Array; // in half precision: core/half.ts
  /** The likeliest class at that time. */
  readonly answered: string;
  readonly at: number;
}

/** How many pictures were classified in an hour, whether their rows were kept or not. */
export interface AnsweredCount {
  readonly answered: string;
  readonly hour: number; // since 1970
  readonly pictures: number;
}

export interface PoolKey {
  readonly pool: string;
  readonly backbone: string; // which network made the features
}

interface PoolSummary extends PoolKey {
  readonly rows: number;
  /** Null while it has none. */
  readonly oldest: number | null;
  readonly newest: number | null;
}

interface PoolSurvey {
  readonly at: number;
  readonly report: unknown; // JSON
}

export interface Pools {
  /** Adds what is not there yet, and answers how many rows the pool then has: `limit` at most, those that stay spread evenly. */
  sample(
    key: PoolKey,
    rows: readonly PoolRow[],
    counts: readonly AnsweredCount[],
    limit: number,
  ): Promise<number>;
  /** Adds what is not there yet; nothing, and null, when all pools but the sample together would have more than `limit`. */
  add(key: PoolKey, rows: readonly PoolRow[], limit: number): Promise<number | null>;
  list(): Promise<PoolSummary[]>;
  /** How many rows each answer has. */
  answered(key: PoolKey): Promise<{ readonly answered: string; readonly rows: number }[]>;
  /** How many pictures were given each answer since then. */
  counts(key: PoolKey, since: number): Promise<AnsweredCount[]>;
  /** All rows, some at a time, in the order of their ids. */
  pages(key: PoolKey): AsyncIterable<readonly PoolRow[]>;
  /** Those of the rows named that are there, in the order of their ids. */
  find(key: PoolKey, ids: readonly string[]): Promise<PoolRow[]>;
  /** Of all networks. Answers how many rows went. */
  remove(pool: string): Promise<number>;
  /** Forgets what is older. */
  expire(before: number): Promise<void>;
  saveSurvey(bundle: string, pool: string, survey: PoolSurvey): Promise<void>;
  survey(bundle: string, pool: string): Promise<PoolSurvey | null>;
}

interface RowRecord {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly answered: string;
  readonly made_at: number;
  readonly features: ArrayBuffer | Uint8Array;
}

/** Rows per answer: a megabyte of features of a large network. */
const pageSize = 256;
/** Writers of all pools that were sent take turns on this one. */
const uploads = { pool: '', backbone: '' };

export class PoolTable implements Pools {
  constructor(
    private readonly access: StoreAccess,
    /** Decides which rows of many are kept. */
    private readonly seed = 1,
  ) {}

  sample(
    key: PoolKey,
    rows: readonly PoolRow[],
    counts: readonly AnsweredCount[],
    limit: number,
  ): Promise<number> {
    return this.access.run('write', async (query) => {
      await lockPool(query, key, Date.now());
      await this.insert(query, key, rows);
      await count(query, key, counts);
      const kept = await rowsOf(query, key);
      if (kept > limit) await evictExcess(query, key, kept - limit);
      return Math.min(kept, limit);
    });
  }

  add(key: PoolKey, rows: readonly PoolRow[], limit: number): Promise<number | null> {
    return this.access.run('write', async (query) => {
      await lockPool(query, uploads, Date.now());
      const [{ rows: all }] = await query<{ rows: number }>(
        'SELECT COUNT(*) AS rows FROM pool_rows WHERE pool <> ?',
        [trafficPool],
      );
      const there = await present(query, key, rows);
      const added = rows.filter(({ id }) => !there.has(id));
      if (all + added.length > limit) return null;
      await lockPool(query, key, Date.now());
      await this.insert(query, key, added);
      return rowsOf(query, key);
    });
  }

  list(): Promise<PoolSummary[]> {
    return this.access.run('read', async (query) => {
      const found = await query<{
        name: string;
        backbone: string;
        rows: number;
        oldest: number | null;
        newest: number | null;
      }>(
        `SELECT p.name, p.backbone, COUNT(r.id) AS rows, MIN(r.made_at) AS oldest, MAX(r.made_at) AS newest
         FROM pools p LEFT JOIN pool_rows r ON r.pool = p.name AND r.backbone = p.backbone
         WHERE p.name <> '' GROUP BY p.name, p.backbone ORDER BY p.name, p.backbone`,
      );
      return found.map(({ name, ...rest }) => ({ pool: name, ...rest }));
    });
  }

  answered({ pool, backbone }: PoolKey): Promise<{ readonly answered: string; readonly rows: number }[]> {
    return this.access.run('read', (query) =>
      query<{ answered: string; rows: number }>(
        `SELECT answered, COUNT(*) AS rows FROM pool_rows WHERE pool = ? AND backbone = ?
         GROUP BY answered ORDER BY answered`,
        [pool, backbone],
      ),
    );
  }

  counts({ pool, backbone }: PoolKey, since: number): Promise<AnsweredCount[]> {
    return this.access.run('read', (query) =>
      query<AnsweredCount & { readonly [column: string]: unknown }>(
        `SELECT answered, hour, pictures FROM pool_counts
         WHERE pool = ? AND backbone = ? AND hour >= ? ORDER BY hour, answered`,
        [pool, backbone, Math.floor(since / hourMilliseconds)],
      ),
    );
  }

  // One transaction a page: changes of classes need not wait for the whole pool.
  async *pages({ pool, backbone }: PoolKey): AsyncIterable<readonly PoolRow[]> {
    let last = '';
    for (;;) {
      const page = await this.access.run('read', (query) =>
        query<RowRecord>(
          `SELECT id, answered, made_at, features FROM pool_rows
           WHERE pool = ? AND backbone = ? AND id > ? ORDER BY id LIMIT ?`,
          [pool, backbone, last, pageSize],
        ),
      );
      if (page.length > 0) yield page.map(rowOf);
      if (page.length < pageSize) return;
      last = page[page.length - 1].id;
    }
  }

  find({ pool, backbone }: PoolKey, ids: readonly string[]): Promise<PoolRow[]> {
    return this.access.run('read', async (query) => {
      const found: PoolRow[] = [];
      for (const chunk of chunks([...new Set(ids)].sort())) {
        const rows = await query<RowRecord>(
          `SELECT id, answered, made_at, features FROM pool_rows
           WHERE pool = ? AND backbone = ? AND id IN (${marks(chunk.length)}) ORDER BY id`,
          [pool, backbone, ...chunk],
        );
        found.push(...rows.map(rowOf));
      }
      return found;
    });
  }

  remove(pool: string): Promise<number> {
    return this.access.run('write', async (query) => {
      const [{ rows }] = await query<{ rows: number }>(
        'SELECT COUNT(*) AS rows FROM pool_rows WHERE pool = ?',
        [pool],
      );
      for (const table of ['pool_rows', 'pool_counts', 'pool_surveys'])
        await query(`DELETE FROM ${table} WHERE pool = ?`, [pool]);
      await query('DELETE FROM pools WHERE name = ?', [pool]);
      return rows;
    });
  }

  async expire(before: number): Promise<void> {
    await this.access.run('write', async (query) => {
      await query('DELETE FROM pool_rows WHERE made_at < ?', [before]);
      await query('DELETE FROM pool_counts WHERE hour < ?', [Math.floor(before / hourMilliseconds)]);
      await query('DELETE FROM pool_surveys WHERE made_at < ?', [before]);
      await query(
        `DELETE FROM pools WHERE changed_at < ? AND NOT EXISTS
           (SELECT 1 FROM pool_rows r WHERE r.pool = pools.name AND r.backbone = pools.backbone)`,
        [before],
      );
    });
  }

  async saveSurvey(bundle: string, pool: string, { at, report }: PoolSurvey): Promise<void> {
    await this.access.run('write', (query) =>
      query(
        `INSERT INTO pool_surveys (bundle, pool, made_at, report) VALUES (${marks(4)})
         ON CONFLICT (bundle, pool) DO UPDATE SET made_at = excluded.made_at, report = excluded.report`,
        [bundle, pool, at, JSON.stringify(report)],
      ),
    );
  }

  async survey(bundle: string, pool: string): Promise<PoolSurvey | null> {
    const [found] = await this.access.run('read', (query) =>
      query<{ made_at: number; report: string }>(
        'SELECT made_at, report FROM pool_surveys WHERE bundle = ? AND pool = ?',
        [bundle, pool],
      ),
    );
    const record = found as { made_at: number; report: string } | undefined;
    return record ? { at: record.made_at, report: JSON.parse(record.report) as unknown } : null;
  }

  private async insert(query: Query, { pool, backbone }: PoolKey, rows: readonly PoolRow[]): Promise<void> {
    for (const chunk of chunks(rows))
      await query(
        `INSERT INTO pool_rows (pool, backbone, id, answered, hour, priority, made_at, features)
         VALUES ${chunk.map(() => `(${marks(8)})`).join(', ')} ON CONFLICT (pool, backbone, id) DO NOTHING`,
        chunk.flatMap(({ id, answered, at, features }) => [
          ...[pool, backbone, id, answered, Math.floor(at / hourMilliseconds), priorityOf(id, this.seed), at],
          halvesToBytes(features),
        ]),
      );
  }
}

/** Uniform in 48 bits. */
export function priorityOf(id: string, seed: number): number {
  return parseInt(sha256Of(`${seed}`, id).slice(0, 12), 16);
}

/** Until the end of the transaction nobody else writes to this pool. */
async function lockPool(query: Query, { pool, backbone }: PoolKey, now: number): Promise<void> {
  await query(
    `INSERT INTO pools (name, backbone, created_at, changed_at) VALUES (${marks(4)})
     ON CONFLICT (name, backbone) DO UPDATE SET changed_at = excluded.changed_at`,
    [pool, backbone, now, now],
  );
}

async function count(
  query: Query,
  { pool, backbone }: PoolKey,
  counts: readonly AnsweredCount[],
): Promise<void> {
  for (const chunk of chunks(counts))
    await query(
      `INSERT INTO pool_counts (pool, backbone, hour, answered, pictures)
       VALUES ${chunk.map(() => `(${marks(5)})`).join(', ')}
       ON CONFLICT (pool, backbone, hour, answered) DO UPDATE SET pictures = pool_counts.pictures + excluded.pictures`,
      chunk.flatMap(({ answered, hour, pictures }) => [pool, backbone, hour, answered, pictures]),
    );
}

async function rowsOf(query: Query, { pool, backbone }: PoolKey): Promise<number> {
  const [{ rows }] = await query<{ rows: number }>(
    'SELECT COUNT(*) AS rows FROM pool_rows WHERE pool = ? AND backbone = ?',
    [pool, backbone],
  );
  return rows;
}

async function present(
  query: Query,
  { pool, backbone }: PoolKey,
  rows: readonly PoolRow[],
): Promise<Set<string>> {
  const there = new Set<string>();
  for (const chunk of chunks(rows)) {
    const found = await query<{ id: string }>(
      `SELECT id FROM pool_rows WHERE pool = ? AND backbone = ? AND id IN (${marks(chunk.length)})`,
      [pool, backbone, ...chunk.map(({ id }) => id)],
    );
    for (const { id } of found) there.add(id);
  }
  return there;
}

async function evictExcess(query: Query, { pool, backbone }: PoolKey, excess: number): Promise<void> {
  await query(
    `DELETE FROM pool_rows WHERE pool = ? AND backbone = ? AND id IN (
       SELECT id FROM (
         SELECT id, priority, ROW_NUMBER() OVER (PARTITION BY answered ORDER BY hour_rank, priority, id) AS class_rank
         FROM (SELECT id, answered, priority,
                      ROW_NUMBER() OVER (PARTITION BY answered, hour ORDER BY priority, id) AS hour_rank
               FROM pool_rows WHERE pool = ? AND backbone = ?) AS hours) AS ranks
       ORDER BY class_rank DESC, priority DESC, id DESC LIMIT ?)`,
    [pool, backbone, pool, backbone, excess],
  );
}

function rowOf({ id, answered, made_at, features }: RowRecord): PoolRow {
  return { id, answered, at: made_at, features: halvesFromBytes(features) };
}
