/**
 * Each kind of child process killed and stopped, and what is answered until all is well again:
 *   npm run bench -- server-faults [PHOTOS_DIR]
 */
import { serverKey } from '../fixtures/server-key.js';
import { benchmarkPictures } from './serving/pictures.js';
import { post } from './serving/load.js';
import { commandOf, treeOf } from './serving/process-tree.js';
import { ServerProcess } from './serving/server-process.js';

const children = {
  decoder: 'decoding/worker.js',
  inference: 'inference/worker.js',
  fitting: 'fitting/worker.js',
} as const;
/** After this long without healing it counts as broken. */
const patienceSeconds = 90;

const [picture] = await benchmarkPictures(process.argv[2]);
const server = await ServerProcess.start({});
const { attributes } = (await (await fetch(`${server.url}/attributes`)).json()) as {
  attributes: { minimum: number; maximum: number }[];
};
let added = 0;

/** Status and time of one question of each kind, asked at the same time. */
async function ask() {
  const timed = async (work: () => Promise<number | string>) => {
    const started = performance.now();
    const status = await work().catch(() => 0);
    return { status, seconds: (performance.now() - started) / 1000 };
  };
  const number = ++added;
  return {
    healthz: await timed(async () => (await fetch(`${server.url}/healthz`)).status),
    readyz: await timed(async () => {
      const response = await fetch(`${server.url}/readyz`);
      const { status } = (await response.json()) as { status: string };
      return `${response.status} ${status}`;
    }),
    classify: await timed(async () => (await post(server.url, picture)).status),
    'add a class': await timed(async () => {
      const vector = attributes.map(({ minimum, maximum }, k) =>
        (number >> (k % 16)) & 1 ? maximum : minimum,
      );
      const body = JSON.stringify({ name: `fault ${number}`, attributes: vector });
      const headers = { 'content-type': 'application/json', 'x-api-key': serverKey };
      return (await fetch(`${server.url}/classes`, { method: 'POST', headers, body })).status;
    }),
  };
}

type Answers = Awaited<ReturnType<typeof ask>>;
const isWell = (answers: Answers): boolean =>
  answers.healthz.status === 200 &&
  answers.readyz.status === '200 ok' &&
  answers.classify.status === 200 &&
  answers['add a class'].status === 201;

async function fault(kind: keyof typeof children, signal: 'SIGKILL' | 'SIGSTOP'): Promise<boolean> {
  const victims = treeOf(server.pid).filter((pid) => commandOf(pid).includes(children[kind]));
  for (const pid of victims) process.kill(pid, signal);
  const started = performance.now();
  const rounds: Answers[] = [];
  const elapsed = (): number => (performance.now() - started) / 1000;
  do rounds.push(await ask());
  while (!isWell(rounds.at(-1)!) && elapsed() < patienceSeconds);
  console.log(
    `${kind}, ${signal} of ${victims.length}: ${isWell(rounds.at(-1)!) ? 'all well' : 'NOT WELL'} after ${elapsed().toFixed(1)} s`,
  );
  for (const question of Object.keys(rounds[0]) as (keyof Answers)[]) {
    const statuses = [...new Set(rounds.map((round) => String(round[question].status)))];
    const slowest = Math.max(...rounds.map((round) => round[question].seconds));
    console.log(
      `  ${question.padEnd(12)} ${statuses.join(', then ').padEnd(36)} slowest ${slowest.toFixed(2)} s`,
    );
  }
  return victims.length > 0 && isWell(rounds.at(-1)!);
}

while (!isWell(await ask())) await new Promise((resolve) => setTimeout(resolve, 200));
let healed = true;
for (const kind of Object.keys(children) as (keyof typeof children)[])
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) healed = (await fault(kind, signal)) && healed;
await server.stop();
if (!healed) process.exitCode = 1;
