/**
 * Small files that are pictures of 49 megapixels, many at a time, and ordinary pictures in between, which must be answered:
 *   npm run bench -- server-large-pictures [PHOTOS_DIR] [--seconds 60] [--clients 16] [--memory-limit MEBIBYTES]
 * With a limit the server runs in a control group, as in a container. Before all else four of the smallest files come at once, which
 * killed a server with 2 GiB when decoding was part of it.
 */
import { parseArgs } from 'node:util';
import { quantile } from './quantiles.js';
import { largePictures } from './serving/large-pictures.js';
import { countByStatus, post, type Outcome } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { MemoryGroup } from './serving/memory-group.js';
import { MemoryWatch } from './serving/memory-watch.js';
import { ServerProcess } from './serving/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '16' },
    'memory-limit': { type: 'string' },
  },
});
const good = await benchmarkPictures(positionals[0]);
const large = await largePictures();
const limit = values['memory-limit'];
const group = limit === undefined ? null : MemoryGroup.create(Number(limit));
const start = () => ServerProcess.start({});
const server = await (group ? group.startInside(start) : start());
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const alone: Outcome[] = [];
for (let i = 0; i < 40; i++) alone.push(await post(server.url, good[i % good.length]));
const memory = await MemoryWatch.begin(server.pid, group);
const four = await Promise.all(
  Array.from({ length: 4 }, () => post(server.url, large[0].bytes, large[0].type)),
);
console.log(
  `Four at once of ${large[0].kind}${limit === undefined ? '' : `, in ${limit} MiB`}: ${countByStatus(four)}; the server is running: ${String(server.running)}`,
);
const end = performance.now() + 1000 * Number(values.seconds);
const harmful: Outcome[] = [];
const ordinary: Outcome[] = [];
const attacker = async (first: number): Promise<void> => {
  for (let i = first; performance.now() < end; i++) {
    const { bytes, type } = large[i % large.length];
    const outcome = await post(server.url, bytes, type);
    harmful.push(outcome);
    if (outcome.status !== 200) await pause(50);
  }
};
const client = async (): Promise<void> => {
  for (let i = 0; performance.now() < end; i++) {
    ordinary.push(await post(server.url, good[i % good.length]));
    await pause(250);
  }
};
await Promise.all([
  ...Array.from({ length: Number(values.clients) }, (_, i) => attacker(i)),
  ...Array.from({ length: 2 }, client),
]);
const times = (outcomes: readonly Outcome[]): number[] => outcomes.map(({ milliseconds }) => milliseconds);
const failed = ordinary.filter(({ status }) => status !== 200).length;
const serverErrors = harmful.filter(({ status }) => status >= 500 || status === 0).length;
console.log(
  `${harmful.length} large pictures from ${values.clients} clients in ${values.seconds} s: ${countByStatus(harmful)}`,
);
console.log(`  large ones answered 5xx     ${serverErrors} (target 0)`);
console.log(`  ordinary ones in between    ${ordinary.length}, failed ${failed} (target 0)`);
console.log(`  their p50, p99 to that of one client alone  ${ratio(0.5)}, ${ratio(0.99)}`);
const isWithinMemory = memory.end();
console.log(`  the server is running       ${String(server.running)}`);
await server.stop();
await group?.remove();
if (failed + serverErrors > 0 || !isWithinMemory) process.exitCode = 1;

function ratio(part: number): string {
  return (quantile(times(ordinary), part) / quantile(times(alone), part)).toFixed(1);
}
