/**
 * What refusing a picture costs the process that answers, where nothing else is to be done: the only place in the queue is held by an
 * upload that never ends. Processor time, so that other programs on the machine disturb little:
 *   npm run bench -- server-refusals [PHOTOS_DIR] [--per-second 400] [--seconds 10]
 */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { quantile } from './quantiles.js';
import { countByStatus, openLoop } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { processorSeconds } from './serving/process-tree.js';
import { ServerProcess } from './serving/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'per-second': { type: 'string', default: '400' },
    seconds: { type: 'string', default: '10' },
  },
});
const perSecond = Number(values['per-second']);
const pictures = await benchmarkPictures(positionals[0]);
const server = await ServerProcess.start({ queue: 1, 'body-bytes-per-second': 0, 'body-seconds': 600 });
await sleep(3000); // larger batches are warmed up first
const holding = request(`${server.url}/classify`, {
  method: 'POST',
  headers: { 'content-type': 'image/jpeg', 'content-length': 1000 },
});
holding.on('error', () => undefined);
holding.flushHeaders();
while ((await server.metric('unseen_queue_depth')) !== 1) await sleep(50);

await openLoop(server.url, pictures, { perSecond, seconds: 10 }); // until its code is compiled
const [collecting, spent] = [await collectingSeconds(), processorSeconds(server.pid)];
const { outcomes } = await openLoop(server.url, pictures, { perSecond, seconds: Number(values.seconds) });
const each = (seconds: number): string => `${((1e6 * seconds) / outcomes.length).toFixed(0)} µs`;
const times = outcomes.map(({ milliseconds }) => milliseconds);
console.log(`  sent ${outcomes.length}: ${countByStatus(outcomes)}`);
console.log(`  processor time of each      ${each(processorSeconds(server.pid) - spent)}`);
console.log(`  of it collecting garbage    ${each((await collectingSeconds()) - collecting)}`);
console.log(`  answered after, median      ${quantile(times, 0.5).toFixed(2)} ms`);
holding.destroy();
await server.stop();

async function collectingSeconds(): Promise<number> {
  const page = await (await fetch(`${server.url}/metrics`)).text();
  return [...page.matchAll(/^nodejs_gc_duration_seconds_sum\{.*\} (\S+)$/gm)].reduce(
    (sum, [, seconds]) => sum + Number(seconds),
    0,
  );
}
