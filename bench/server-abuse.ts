/**
 * Malformed requests of every kind, and a good one after every 50, which must succeed; then floods of one caller, each against one
 * limit, beside good pictures of another caller:
 *   npm run bench -- server-abuse [--requests 10000] [--seed 1] [--memory-limit MEBIBYTES]
 * With a limit the server runs in a control group, as in a container.
 */
import { parseArgs } from 'node:util';
import { Random } from '../core/random.js';
import { serverConfigurationSchema } from '../server/configuration.js';
import { quantile } from './quantiles.js';
import { attack, showOutcomes } from './serving/attack.js';
import { countStatuses, runFloods } from './serving/floods.js';
import { largePictures } from './serving/large-pictures.js';
import { countByStatus, post } from './serving/load.js';
import { MemoryGroup } from './serving/memory-group.js';
import { MemoryWatch } from './serving/memory-watch.js';
import { benchmarkPictures } from './serving/pictures.js';
import { ServerProcess } from './serving/server-process.js';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    'memory-limit': { type: 'string' },
  },
});
const good = await benchmarkPictures(undefined);
const limit = values['memory-limit'];
const group = limit === undefined ? null : MemoryGroup.create(Number(limit));
const start = () => ServerProcess.start({ 'header-seconds': 2, 'body-seconds': 2 }); // short, so that slow requests do not prolong the benchmark
const server = await (group ? group.startInside(start) : start());
for (const picture of good) await post(server.url, picture); // memory is measured from a warm server
const classesBefore = await runtimeClasses();
const memory = await MemoryWatch.begin(server.pid, group);
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
const queue = serverConfigurationSchema.parse({}).queue;
const floods = server.running
  ? await runFloods(server.url, good, { count: 200, large: await largePictures() })
  : [];
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
let floodOffences = 0;
for (const { name, statuses, wrong: refused, good: answers, maxQueued } of floods) {
  const bad = answers.filter(({ status }) => status !== 200);
  const wrong = refused + bad.length + (maxQueued > queue ? 1 : 0);
  floodOffences += wrong;
  console.log(`  flood: ${name}: ${countStatuses(statuses)}`);
  console.log(
    `    good ones ${countByStatus(answers)}, p99 ${quantile(
      answers.map(({ milliseconds }) => milliseconds),
      0.99,
    ).toFixed(0)} ms; at most ${maxQueued} of ${queue} places taken; offences ${wrong} (target 0)`,
  );
}
if (server.running) {
  console.log(`  workers replaced            ${await server.metric('unseen_worker_restarts_total')}`);
  console.log(`  classes added               ${(await runtimeClasses()) - classesBefore}`);
  console.log(`  in flight, uploading        ${await leftOver()} (target 0, 0)`);
  console.log(`  event loop lag, p99, worst  ${Math.max(...lag).toFixed(1)} ms (target 50 ms)`);
}
const isRunning = server.running;
const isWithinMemory = memory.end();
await server.stop();
await group?.remove();
if (report.offences.length + failed + floodOffences > 0 || !isRunning || !isWithinMemory)
  process.exitCode = 1;

async function runtimeClasses(): Promise<number> {
  const { total } = (await (await fetch(`${server.url}/classes?kind=runtime`)).json()) as { total: number };
  return total;
}

/** Gauges that would stay raised if a request leaked something; the metrics request itself counts as one. */
async function leftOver(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const inFlight = (await server.metric('unseen_http_requests_in_flight')) - 1;
  return `${inFlight}, ${await server.metric('unseen_upload_bytes')}`;
}
