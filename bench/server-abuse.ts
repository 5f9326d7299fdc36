/**
 * Malformed requests of every kind, and a good one after every 50, which must succeed:
 *   npm run bench -- server-abuse [--requests 10000] [--seed 1]
 */
import { parseArgs } from 'node:util';
import { Random } from '../core/random.js';
import { attack, showOutcomes } from './serving/attack.js';
import { post, quantile } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { ServerProcess } from './serving/server-process.js';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const good = await benchmarkPictures(undefined);
const server = await ServerProcess.start({ 'header-seconds': 2, 'body-seconds': 2 }); // slow ones must not take all day
for (const picture of good) await post(server.url, picture); // memory is counted from a server that is at work
const classesBefore = await runtimeClasses();
const before = await memory();
const lag: number[] = [];
const watch = setInterval(() => {
  void server.metric('nodejs_eventloop_lag_p99_seconds').then(
    (seconds) => lag.push(1000 * seconds),
    () => undefined, // a server that is gone is reported below
  );
}, 5_000);
const started = performance.now();
const report = await attack(server.url, {
  requests: Number(values.requests),
  concurrency: 16,
  random: Random.stream(Number(values.seed), 'abuse'),
  goodEvery: 50,
  good,
  patience: 60_000,
});
clearInterval(watch);
const times = report.good.map(({ milliseconds }) => milliseconds);
const failed = report.good.filter(({ status }) => status !== 200).length;
const seconds = (performance.now() - started) / 1000;
console.log(
  `${values.requests} malformed requests in ${seconds.toFixed(0)} s, and ${report.good.length} good ones:`,
);
console.log(showOutcomes(report));
console.log(`  answered 5xx, or hung       ${report.offences.length} (target 0)`);
for (const { number, kind, outcome, milliseconds } of report.offences)
  console.log(`    number ${number}, ${kind}: ${outcome} after ${milliseconds.toFixed(0)} ms`);
console.log(`  good ones that failed       ${failed} (target 0)`);
console.log(`  good ones, p99              ${quantile(times, 0.99).toFixed(0)} ms`);
console.log(`  the server runs on          ${String(server.running)}`);
if (server.running) {
  const after = await memory();
  console.log(`  workers replaced            ${await server.metric('unseen_worker_restarts_total')}`);
  console.log(`  classes added               ${(await runtimeClasses()) - classesBefore}`);
  console.log(`  in flight, uploading        ${await leftOver()} (target 0, 0)`);
  console.log(`  event loop lag, p99, worst  ${Math.max(...lag).toFixed(1)} ms (target 50 ms)`);
  console.log(`  resident memory             ${before} MiB before, ${after} MiB after`);
  await server.stop();
}
if (report.offences.length + failed > 0 || !server.running) process.exitCode = 1;

async function memory(): Promise<string> {
  const own = await server.metric('process_resident_memory_bytes');
  return ((own + (await server.metric('unseen_worker_resident_memory_bytes'))) / 2 ** 20).toFixed(0);
}

async function runtimeClasses(): Promise<number> {
  const { total } = (await (await fetch(`${server.url}/classes?kind=runtime`)).json()) as { total: number };
  return total;
}

/** What requests would have left behind if something were not given back; the request that asks is one. */
async function leftOver(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const inFlight = (await server.metric('unseen_http_requests_in_flight')) - 1;
  return `${inFlight}, ${await server.metric('unseen_upload_bytes')}`;
}
