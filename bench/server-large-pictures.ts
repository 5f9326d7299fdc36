/**
 * Small files that are pictures of 49 megapixels, many at a time, and ordinary pictures in between, which must be answered:
 *   npm run bench -- server-large-pictures [PHOTOS_DIR] [--seconds 60] [--clients 16]
 */
import { parseArgs } from 'node:util';
import { largePictures } from './serving/large-pictures.js';
import { countByStatus, post, quantile, type Outcome } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { treeMemory } from './serving/process-tree.js';
import { ServerProcess } from './serving/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' }, clients: { type: 'string', default: '16' } },
});
const good = await benchmarkPictures(positionals[0]);
const large = await largePictures();
const server = await ServerProcess.start({});
const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const alone: Outcome[] = [];
for (let i = 0; i < 40; i++) alone.push(await post(server.url, good[i % good.length]));
const idle = treeMemory(server.pid);
let peak = idle;
const watch = setInterval(() => {
  peak = Math.max(peak, treeMemory(server.pid));
}, 20);
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
clearInterval(watch);
const times = (outcomes: readonly Outcome[]): number[] => outcomes.map(({ milliseconds }) => milliseconds);
const failed = ordinary.filter(({ status }) => status !== 200).length;
const serverErrors = harmful.filter(({ status }) => status >= 500 || status === 0).length;
console.log(
  `${harmful.length} large pictures from ${values.clients} clients in ${values.seconds} s: ${countByStatus(harmful)}`,
);
console.log(`  large ones answered 5xx     ${serverErrors} (target 0)`);
console.log(`  ordinary ones in between    ${ordinary.length}, failed ${failed} (target 0)`);
console.log(`  their p50, p99 to that of one client alone  ${ratio(0.5)}, ${ratio(0.99)}`);
console.log(
  `  memory of all processes     ${mebibytes(idle)} MiB idle, peak ${mebibytes(peak - idle)} MiB above (target 512)`,
);
console.log(`  the server is running       ${String(server.running)}`);
await server.stop();
if (failed + serverErrors > 0 || peak - idle > 512 * 2 ** 20) process.exitCode = 1;

function ratio(part: number): string {
  return (quantile(times(ordinary), part) / quantile(times(alone), part)).toFixed(1);
}
