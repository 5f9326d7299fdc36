/**
 * Pictures classified while classes are added one by one, next to pictures classified while none is:
 *   npm run bench -- classes-disturbance [PHOTOS_DIR] [--additions 1000] [--seconds 60]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../core/random.js';
import { quantile } from './quantiles.js';
import { ClassAdder } from './serving/class-adder.js';
import { inconsistencies, watchfulClients } from './serving/watchful-clients.js';
import { benchmarkPictures } from './serving/pictures.js';
import { childrenOf, residentBytes } from './serving/process-tree.js';
import { ServerProcess } from './serving/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { additions: { type: 'string', default: '1000' }, seconds: { type: 'string', default: '60' } },
});
const additions = Number(values.additions);
const pictures = await benchmarkPictures(positionals[0]);
const folder = mkdtempSync(join(tmpdir(), 'unseen-disturbance-'));
const server = await ServerProcess.start({ registry: `sqlite:${join(folder, 'classes.db')}` });
try {
  const adder = await ClassAdder.open(server.url, Random.stream(1, 'disturbance'));
  const clients = watchfulClients(server.url, pictures, { clients: 4, added: adder.added });
  await during(5); // warm
  clients.drain();
  await during(Number(values.seconds));
  const calm = clients.drain();
  const before = memory();
  const metricsBefore = await memoryByMetrics();
  const times: number[] = [];
  for (let i = 0; i < additions; i++) {
    times.push(await adder.add(`added ${i}`));
    if (times.length % 100 === 0) console.error(`  ${times.length} of ${additions} added`);
  }
  const disturbed = clients.drain();
  const after = memory();
  const metricsAfter = await memoryByMetrics();
  await clients.stop();

  const p99 = (answers: typeof calm): number =>
    quantile(
      answers.map(({ milliseconds }) => milliseconds),
      0.99,
    );
  const failed = (answers: typeof calm): number => answers.filter(({ status }) => status !== 200).length;
  const wrong = inconsistencies(disturbed, adder.added, adder.ownClasses);
  const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;
  const tenth = Math.max(1, Math.floor(additions / 10));
  const shown = (times: readonly number[]): string => milliseconds(quantile(times, 0.5));
  console.log(`${additions} classes added one by one while 4 clients classified:`);
  console.log(`  classified              ${calm.length} before, ${disturbed.length} during`);
  console.log(`  failed                  ${failed(calm)} before, ${failed(disturbed)} during (target 0)`);
  console.log(
    `  p99                     ${milliseconds(p99(calm))} before, ${milliseconds(p99(disturbed))} during: ${(p99(disturbed) / p99(calm)).toFixed(2)} times (target 1.5)`,
  );
  console.log(
    `  inconsistent answers    ${wrong.length} (target 0)${wrong
      .slice(0, 3)
      .map((text) => `\n    ${text}`)
      .join('')}`,
  );
  console.log(
    `  time of an addition     median ${shown(times)}, p99 ${milliseconds(quantile(times, 0.99))}; median of the first tenth ${shown(times.slice(0, tenth))}, of the last ${shown(times.slice(-tenth))}`,
  );
  console.log(
    `  memory by /metrics      ${metricsBefore} before, ${metricsAfter} after (without the fitting process)`,
  );
  console.log(`  memory, all processes   ${before} before, ${after} after`);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

function during(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function memory(): string {
  const sizes = [server.pid, ...childrenOf(server.pid)].map(residentBytes);
  return `${mebibytes(sizes.reduce((sum, size) => sum + size, 0))} (${sizes.map(mebibytes).join(' + ')})`;
}

async function memoryByMetrics(): Promise<string> {
  const own = await server.metric('process_resident_memory_bytes');
  return mebibytes(own + (await server.metric('unseen_worker_resident_memory_bytes')));
}
