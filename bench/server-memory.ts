/**
 * Resident memory over many requests: npm run bench -- server-memory [PHOTOS_DIR] [--requests 20000] [--small]
 * --small uses a network of a few layers instead of the ResNet: the same server, workers and pictures, in a minute.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { closedLoop, countByStatus, type Outcome } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { ServerProcess } from './serving/server-process.js';
import { trainSmallBundle } from '../fixtures/small-bundle.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { requests: { type: 'string', default: '20000' }, small: { type: 'boolean', default: false } },
});
const requests = Number(values.requests);
const warm = requests / 10;
const pictures = await benchmarkPictures(positionals[0]);
const folder = mkdtempSync(join(tmpdir(), 'unseen-memory-'));
const server = values.small
  ? await ServerProcess.start({ bundle: (await trainSmallBundle(folder)).path }, './small-server.js')
  : await ServerProcess.start({});
const outcomes: Outcome[] = [];
const sizes: number[] = [];
while (outcomes.length < requests) {
  const share = await closedLoop(server.url, pictures, { clients: 16, until: (sent) => sent >= warm / 2 });
  outcomes.push(...share.outcomes);
  const own = await server.metric('process_resident_memory_bytes');
  const bytes = own + (await server.metric('unseen_worker_resident_memory_bytes'));
  if (outcomes.length >= warm) sizes.push(bytes);
  console.log(
    `  after ${outcomes.length}: ${(bytes / 2 ** 20).toFixed(0)} MiB (${(own / 2 ** 20).toFixed(0)} without workers)`,
  );
}
await server.stop();
rmSync(folder, { recursive: true, force: true });
const growth = (size: number): string => `${(100 * (size / sizes[0] - 1)).toFixed(1)} %`;
console.log(`${requests} requests: ${countByStatus(outcomes)}`);
console.log(`  growth after the first ${warm}, at the end   ${growth(sizes.at(-1)!)} (target under 5 %)`);
console.log(`  growth after the first ${warm}, at the most  ${growth(Math.max(...sizes))}`);
