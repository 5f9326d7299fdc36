/**
 * The cost of a picture among many classes and among few; both servers run and are queried alternately:
 *   npm run bench -- classes-scale [PHOTOS_DIR] [--few 200] [--many 10000] [--rounds 7]
 */
import { parseArgs } from 'node:util';
import { Random } from '../core/random.js';
import { median } from './quantiles.js';
import { ClassAdder } from './serving/class-adder.js';
import { answered, closedLoop, type Outcome } from './serving/load.js';
import { benchmarkPictures } from './serving/pictures.js';
import { childrenOf, residentBytes } from './serving/process-tree.js';
import { ServerProcess } from './serving/server-process.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    few: { type: 'string', default: '200' },
    many: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '7' },
  },
});
const [few, many, rounds] = [values.few, values.many, values.rounds].map(Number);
const pictures = await benchmarkPictures(positionals[0]);

interface Side {
  readonly server: ServerProcess;
  readonly alone: number[]; // milliseconds, one client
  readonly head: number[]; // of these, from features to classes
  readonly crowd: number[]; // milliseconds a picture, 16 clients
}

async function serverWith(classes: number): Promise<Side> {
  const server = await ServerProcess.start({});
  const adder = await ClassAdder.open(server.url, Random.stream(1, 'scale'));
  const names = Array.from({ length: classes - adder.ownClasses }, (_, i) => `added ${i}`);
  const started = performance.now();
  await adder.addMany(names);
  console.error(`${names.length} classes added in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return { server, alone: [], head: [], crowd: [] };
}

async function ask(
  url: string,
  clients: number,
  count: number,
): Promise<{ outcomes: Outcome[]; seconds: number }> {
  const result = await closedLoop(url, pictures, { clients, until: (sent) => sent >= count });
  if (answered(result.outcomes) < result.outcomes.length) throw new Error('not every picture was answered');
  return result;
}

function headSeconds(server: ServerProcess): Promise<number> {
  return server.metric('unseen_stage_duration_seconds_sum{stage="head"}');
}

const sides = [await serverWith(few), await serverWith(many)];
for (let round = -1; round < rounds; round++)
  for (const { server, alone, head, crowd } of sides) {
    const before = await headSeconds(server);
    const single = await ask(server.url, 1, 20);
    const after = await headSeconds(server);
    const together = await ask(server.url, 16, 64);
    if (round < 0) continue; // warm
    alone.push(median(single.outcomes.map(({ milliseconds }) => milliseconds)));
    head.push((1000 * (after - before)) / single.outcomes.length);
    crowd.push((1000 * together.seconds) / together.outcomes.length);
  }
const memory = sides.map(({ server: { pid } }) =>
  [pid, ...childrenOf(pid)].map((each) => residentBytes(each) / 2 ** 20).reduce((sum, size) => sum + size, 0),
);
for (const { server } of sides) await server.stop();

const medians = (of: (side: Side) => number[]): number[] => sides.map((side) => median(of(side)));
const line = (what: string, of: (side: Side) => number[]): string => {
  const [a, b] = medians(of);
  return `  ${what.padEnd(28)}${a.toFixed(1)} ms, ${b.toFixed(1)} ms: ${(b / a).toFixed(3)} times (target 1.05)`;
};
const [headOfFew, headOfMany] = medians(({ head }) => head);
const [aloneAmongFew] = medians(({ alone }) => alone);
const share = (headOfMany - headOfFew) / aloneAmongFew;
console.log(`A picture among ${few} and among ${many} classes:`);
console.log(line('latency, one client', ({ alone }) => alone));
console.log(
  `  the head's part of it       ${headOfFew.toFixed(1)} ms, ${headOfMany.toFixed(1)} ms: ${(100 * share).toFixed(1)} % of that latency more`,
);
console.log(line('per picture, 16 clients', ({ crowd }) => crowd));
console.log(`  memory, all processes       ${memory.map((size) => `${size.toFixed(0)} MiB`).join(', ')}`);
