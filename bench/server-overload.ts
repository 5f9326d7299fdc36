/**
 * Ten times the load that the server can handle, sent whether or not it answers:
 *   npm run bench -- server-overload [PHOTOS_DIR] [--seconds 60] [--factor 10]
 * The sender runs on the same cores as the server, and what it spends is missing there: processor times are printed, too.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { serverConfigurationSchema } from '../server/configuration.js';
import { quantile } from './quantiles.js';
import { answered, closedLoop, countByStatus, openLoop } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { childrenOf, processorSeconds } from './serving/process-tree.js';
import { ServerProcess } from './serving/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' }, factor: { type: 'string', default: '10' } },
});
const [seconds, factor] = [Number(values.seconds), Number(values.factor)];
const { deadlineSeconds } = serverConfigurationSchema.parse({});
const pictures = await benchmarkPictures(positionals[0]);
const server = await ServerProcess.start({});

/** Pictures a second with as many clients as keep every batch full. */
async function capacityNow(): Promise<number> {
  const end = performance.now() + 20_000;
  const peak = await closedLoop(server.url, pictures, { clients: 32, until: () => performance.now() > end });
  return answered(peak.outcomes) / peak.seconds;
}

const capacity = await capacityNow();
console.log(`With 32 clients: ${capacity.toFixed(1)} pictures/s. Now ${factor} times that for ${seconds} s.`);

const health: number[] = [];
const lag: number[] = [];
let watching = true;
const watch = (async () => {
  while (watching) {
    const started = performance.now();
    const { ok } = await fetch(`${server.url}/healthz`);
    health.push(ok ? performance.now() - started : Infinity);
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (health.length % 20 === 0) lag.push(1000 * (await server.metric('nodejs_eventloop_lag_p99_seconds')));
  }
})();
const spentBefore = processorTimes();
const { outcomes, seconds: took } = await openLoop(server.url, pictures, {
  perSecond: factor * capacity,
  seconds,
});
const spentAfter = processorTimes();
watching = false;
await watch;
const peak = Math.max(capacity, await capacityNow()); // before and after: a machine may be slow for a while
console.log(`  peak                        ${peak.toFixed(1)} pictures/s`);

const times = (wanted: number): number[] =>
  outcomes.filter(({ status }) => status === wanted).map(({ milliseconds }) => milliseconds);
const goodput = times(200).length / took;
const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
console.log(`  sent ${outcomes.length}: ${countByStatus(outcomes)}`);
console.log(`  goodput to peak             ${(goodput / peak).toFixed(3)} (target 0.9)`);
console.log(`  refusals, median            ${milliseconds(quantile(times(429), 0.5))} (target 50 ms)`);
console.log(
  `  accepted, p99               ${milliseconds(quantile(times(200), 0.99))} (deadline ${deadlineSeconds * 1000} ms)`,
);
console.log(`  /healthz, p99               ${milliseconds(quantile(health, 0.99))} (target 100 ms)`);
console.log(`  event loop lag, p99, worst  ${milliseconds(Math.max(...lag))} (target 50 ms)`);
for (const [who, seconds] of Object.entries(spentAfter))
  console.log(
    `  ${`processor time, ${who}`.padEnd(27)} ${share(seconds - spentBefore[who])} of what there is`,
  );
console.log(`  the server runs on          ${String(server.running)}`);
await server.stop();

function processorTimes(): Record<string, number> {
  const sum = (pids: readonly number[]): number => pids.reduce((all, pid) => all + processorSeconds(pid), 0);
  return { sender: sum([process.pid]), answering: sum([server.pid]), workers: sum(childrenOf(server.pid)) };
}

function share(seconds: number): string {
  return (seconds / (took * availableParallelism())).toFixed(3);
}
