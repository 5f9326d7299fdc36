/** Kills a writer at random moments, again and again, and counts what the registry has afterwards. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ClassStore, Position } from '../server/classes/store/contract.js';
import { openStore } from '../server/classes/store/open.js';
import { bundle, findBatch } from './registry-batch.js';

export interface KillCount {
  kills: number;
  acknowledged: number; // commits that the writer was told are stored
  found: number; // commits that are there, among them some whose answer the kill prevented
  lost: number; // acknowledged and not there
  half: number; // there in part
}

/** Stops the database hard and starts it again; the writer is killed while it is down. */
export type Crash = (killWriter: () => Promise<void>) => Promise<void>;

const longestLife = 120; // milliseconds after the first commit
const crashEvery = 10;

export async function killLoop(url: string, kills: number, crash?: Crash): Promise<KillCount> {
  const count: KillCount = { kills: 0, acknowledged: 0, found: 0, lost: 0, half: 0 };
  const store = await openStore(url);
  let { position } = await store.load(bundle);
  await store.close();
  for (let i = 0; i < kills; i++) {
    const run = `run-${i}`;
    const isCrash = crash !== undefined && i % crashEvery === crashEvery - 1;
    const acknowledged = await writeUntilKilled(url, run, isCrash ? crash : undefined);
    position = await verify(url, run, acknowledged, position, count);
    count.kills++;
  }
  return count;
}

/** How many commits were acknowledged. */
async function writeUntilKilled(url: string, run: string, crash: Crash | undefined): Promise<number> {
  const writer = spawn(process.execPath, [writerFile(), url, run], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [said, complaint] = ['', ''];
  writer.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
  writer.stderr.on('data', (bytes: Buffer) => (complaint += bytes.toString()));
  const begun = await Promise.race([once(writer.stdout, 'data'), once(writer, 'close').then(() => null)]);
  if (begun === null) throw new Error(`the writer ended by itself: ${complaint}`);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * longestLife));
  if (crash) await crash(() => kill(writer));
  else await kill(writer);
  return said.split('\n').length - 1; // a line that was cut off is none
}

async function kill(writer: ChildProcess): Promise<void> {
  if (writer.exitCode !== null) return; // a crashed database has ended it already
  const closed = once(writer, 'close'); // after everything that it wrote was read
  writer.kill('SIGKILL');
  await closed;
}

async function verify(url: string, run: string, acknowledged: number, before: Position, count: KillCount) {
  const store = await openStore(url);
  try {
    await untilItRests(store);
    const changes = await store.changesSince(before, bundle);
    if (changes.kind !== 'changes') throw new Error('the registry forgot the position before the kill');
    const classes = new Map(changes.changed.map((each) => [each.name, each]));
    const commits = changes.position.revision - before.revision;
    count.acknowledged += acknowledged;
    count.found += commits;
    for (let number = 0; number < Math.max(commits, acknowledged) + 1; number++) {
      const finding = await findBatch(store, classes, run, number);
      if (finding === 'half') count.half++;
      if (finding === 'absent' && number < acknowledged) count.lost++;
      if ((finding === 'whole') !== number < commits) count.half++; // content and revision contradict each other
    }
    return changes.position;
  } finally {
    await store.close();
  }
}

/** PostgreSQL may still be finishing the last commit of a client that is dead: what is judged must not move meanwhile. */
async function untilItRests(store: ClassStore): Promise<void> {
  let last = -1;
  for (;;) {
    const { position } = await store.load(bundle);
    if (position.revision === last) return;
    last = position.revision;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

/** A process of its own needs JavaScript: tests that run from the sources take what the build made. */
function writerFile(): string {
  const isSource = import.meta.url.endsWith('.ts');
  const path = isSource ? '../dist/bench/registry-writer.js' : './registry-writer.js';
  return fileURLToPath(new URL(path, import.meta.url));
}
