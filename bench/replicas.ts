/**
 * Three replicas on one PostgreSQL behind nginx, watched by Prometheus, all on loopback and in temporary folders: load, new
 * classes, one replica killed and brought back, then all of them rolled. Needs Debian's nginx and prometheus.
 *   npm run bench -- replicas [PHOTOS_DIR] [--rate 4] [--classes 20] [--small]
 * --small: a network that costs next to nothing, for a machine without two free cores; all else is the same.
 * Fails unless no request failed, every new replica was ready within 10 s, all replicas give the same answers, and every query
 * of the dashboard returns data.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Random } from '../core/random.js';
import { freePort, startPostgres } from '../fixtures/postgres-server.js';
import { quantile } from './quantiles.js';
import { Cluster } from './replicas/cluster.js';
import { dashboardQueries, readDashboard } from '../fixtures/grafana-dashboard.js';
import { Load } from './replicas/load.js';
import { Nginx } from './replicas/nginx.js';
import { requireProgram } from './replicas/program.js';
import { Prometheus } from './replicas/prometheus.js';
import { ClassAdder } from './serving/class-adder.js';
import { benchmarkPictures } from './serving/pictures.js';
import { trainSmallBundle } from '../fixtures/small-bundle.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rate: { type: 'string', default: '4' },
    classes: { type: 'string', default: '20' },
    small: { type: 'boolean', default: false },
  },
});
requireProgram('nginx', 'nginx', '-v');
requireProgram('prometheus', 'prometheus', '--version');
const targetSeconds = 10;
const key = 'key-of-the-benchmark';
process.env.UNSEEN_ADMIN_KEYS = key; // by the environment only: the servers inherit it

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stopped.abort(new Error(`stopped by ${signal}`));
  });
const pause = (seconds: number): Promise<void> =>
  sleep(1000 * seconds, undefined, { signal: stopped.signal, ref: true });
const say = (text: string): void => {
  console.log(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);
};

const began = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'unseen-replicas-'));
const end: (() => Promise<unknown>)[] = [];
let failures: string[];
try {
  failures = await prove();
} catch (error) {
  failures = [
    error instanceof Error && error.name === 'AbortError' ? 'stopped before it was done' : String(error),
  ];
} finally {
  for (const step of end.reverse()) await step();
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures.slice(0, 10)) console.error(`FAILED: ${failure}`);
if (failures.length > 10) console.error(`FAILED: and ${failures.length - 10} more of the kind`);
process.exit(failures.length === 0 ? 0 : 1);

async function prove(): Promise<string[]> {
  const pictures = (await benchmarkPictures(positionals[0])).slice(0, 8);
  const postgres = await startPostgres();
  end.push(() => postgres.remove());
  const ports = [await freePort(), await freePort(), await freePort()];
  const registry = await postgres.createDatabase();
  const settings = { registry, threads: 1, 'trust-proxy': 1 };
  const cluster = values.small
    ? new Cluster(ports, { ...settings, bundle: (await trainSmallBundle(folder)).path }, './small-server.js')
    : new Cluster(ports, settings);
  end.push(() => cluster.stop());
  await cluster.startAll();
  const nginx = await Nginx.start(folder, await freePort(), ports);
  end.push(() => nginx.stop());
  const targets = ports.map((port) => `127.0.0.1:${port}`);
  const prometheus = await Prometheus.start(folder, await freePort(), targets);
  end.push(() => prometheus.stop());
  say(`load of the machine before: ${loadavg()[0].toFixed(1)} on ${availableParallelism()} cores`);
  say(`PostgreSQL, three replicas, nginx and Prometheus run; ${values.rate} pictures a second from now on`);

  const adder = await ClassAdder.open(nginx.url, Random.stream(1, 'replicas'));
  const classes = Array.from({ length: Number(values.classes) }, (_, i) => adder.draft(`added ${i + 1}`));
  const options = { url: nginx.url, key, pictures, perSecond: Number(values.rate), classes, classSeconds: 4 };
  const load = new Load(options);
  end.push(() => load.stop());
  await pause(15);

  say('replica 2 is killed (SIGKILL)');
  await cluster.kill(1);
  await pause(3);
  await cluster.start(1);
  say('replica 2 is back');
  await pause(5);
  for (const replica of ports.keys()) {
    say(`replica ${replica + 1} receives SIGTERM and is replaced`);
    await cluster.roll(replica);
    await pause(5);
  }
  await pause(5);
  const empty = await emptyQueries(prometheus);
  const rules = await prometheus.troubleWithRules();
  await load.stop();
  say('the load has ended');
  const answers = await cluster.answers(pictures.slice(0, 4));

  const slowest = Math.max(...cluster.started.map(({ seconds }) => seconds));
  const times = cluster.started.map(({ replica, seconds }) => `${replica}: ${seconds.toFixed(1)}`).join(', ');
  const alike = new Set(answers).size === 1;
  const lost = load.added.filter((name) => !answers[0].includes(JSON.stringify(name)));
  const queries = dashboardQueries(readDashboard(), '30s').length;
  const shown = (all: readonly number[], share: number): string => `${quantile(all, share).toFixed(0)} ms`;
  console.log('Three replicas: one killed and brought back, then all rolled, under load');
  console.log(`  pictures                      ${load.milliseconds.length} answered at ${values.rate}/s`);
  console.log(`  classes added meanwhile       ${load.added.length}`);
  console.log(`  failed requests               ${load.failed.length} (target 0)`);
  console.log(`  repeated by the proxy         ${nginx.repeated()}`);
  console.log(
    `  latency, p50 and p99          ${shown(load.milliseconds, 0.5)}, ${shown(load.milliseconds, 0.99)}`,
  );
  console.log(
    `  ready after the start, s      ${times}; slowest ${slowest.toFixed(1)} (target ${targetSeconds})`,
  );
  console.log(
    `  replicas answer alike         ${String(alike)}, with every class that was added: ${String(lost.length === 0)}`,
  );
  console.log(`  dashboard queries with data   ${queries - empty.length} of ${queries}`);
  console.log(`  rules that were evaluated     ${rules.length === 0 ? 'all' : rules.join('; ')}`);
  return [
    ...load.failed.map(({ what, reason, at }) => `${what} after ${at.toFixed(1)} s: ${reason}`),
    ...(slowest > targetSeconds ? [`a replica needed ${slowest.toFixed(1)} s until it was ready`] : []),
    ...(alike ? [] : ['the replicas answer differently']),
    ...lost.map((name) => `class ${name} was acknowledged and is not there`),
    ...empty.map((name) => `no data for the dashboard's ${name}`),
    ...rules,
  ];
}

async function emptyQueries(prometheus: Prometheus): Promise<string[]> {
  const empty: string[] = [];
  for (const { name, expr } of dashboardQueries(readDashboard(), '30s')) {
    if ((await prometheus.ask(expr)).length === 0) empty.push(name);
  }
  return empty;
}
