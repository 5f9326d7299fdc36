/**
 * What a commit costs: its latency on both databases, and how long it blocks the event loop, beside an idle
 * loop and beside SQLite called in the main thread, in the same run:
 *   npm run bench -- registry-latency [classes per commit] [commits] [width of a row]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { RegistryCommit } from '../server/classes/store/contract.js';
import { openStore } from '../server/classes/store/open.js';
import { SqliteConnection } from '../server/classes/store/sqlite/connection.js';
import { startPostgres } from '../fixtures/postgres-server.js';
import { quantile } from './quantiles.js';

const [classes = 1, commits = 200, width = 2048] = process.argv.slice(2).map(Number);
const bundle = 'latency';
const weights = new Float32Array(width).fill(0.5);

function changeOf(number: number): RegistryCommit {
  const names = Array.from({ length: classes }, (_, i) => `class ${number} ${i}`);
  return {
    upserts: names.map((name) => ({ name, attributes: { number } })),
    rows: { bundle, rows: names.map((name) => ({ name, weights, bias: number })) },
  };
}

/** Runs the work and measures how long the event loop was blocked beyond its timer's millisecond. */
async function standstill(work: () => Promise<void>): Promise<string> {
  const monitor = monitorEventLoopDelay({ resolution: 1 });
  monitor.enable();
  await work();
  monitor.disable();
  return `loop p99 ${(monitor.percentile(99) / 1e6).toFixed(1)} ms, max ${(monitor.max / 1e6).toFixed(1)} ms`;
}

async function measure(url: string): Promise<void> {
  const store = await openStore(url);
  let { position } = await store.load(bundle);
  const times: number[] = [];
  const stood = await standstill(async () => {
    for (let number = 0; number < commits; number++) {
      const started = performance.now();
      const result = await store.commit(changeOf(number), position);
      times.push(performance.now() - started);
      if (result.kind !== 'committed') throw new Error(result.kind);
      position = result.position;
    }
  });
  console.log(
    `${store.description}\n  commit p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms; ${stood}`,
  );
  const started = performance.now();
  const whileLoading = await standstill(async () => {
    await store.load(bundle);
  });
  console.log(
    `  load of ${classes * commits} classes ${(performance.now() - started).toFixed(0)} ms; ${whileLoading}`,
  );
  await store.close();
}

/** The rows alone, by direct calls: how long the loop would be blocked without the thread. */
function measureDirect(path: string): void {
  const connection = SqliteConnection.open({ path, isFirst: true });
  connection.query('CREATE TABLE fitted (name TEXT PRIMARY KEY, weights BLOB)', []);
  const bytes = new Uint8Array(weights.buffer);
  const times: number[] = [];
  for (let number = 0; number < commits; number++) {
    const started = performance.now();
    connection.query('BEGIN IMMEDIATE', []);
    for (let i = 0; i < classes; i++)
      connection.query('INSERT INTO fitted VALUES (?, ?)', [`class ${number} ${i}`, bytes]);
    connection.query('COMMIT', []);
    times.push(performance.now() - started);
  }
  connection.close();
  console.log(
    `SQLite in the main thread: blocks the event loop for p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
  );
}

const folder = mkdtempSync(join(tmpdir(), 'unseen-latency-'));
const postgres = await startPostgres();
try {
  console.log(`${commits} commits of ${classes} classes with rows of ${width} values`);
  console.log(`idle: ${await standstill(() => delay(2_000))}`);
  measureDirect(join(folder, 'direct.db'));
  await measure(`sqlite:${join(folder, 'classes.db')}`);
  await measure(await postgres.createDatabase());
} finally {
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
}
