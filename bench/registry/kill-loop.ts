/** Kills a writer at random moments, again and again, and counts what the registry has afterwards. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compiledFile } from '../../core/compiled-file.js';
import type { ClassStore, Position } from '../../server/classes/store/contract.js';
import { openStore } from '../../server/classes/store/open.js';
import { bundle, findBatch } from './batch.js';

export interface KillCount {
  kills: number;
  acknowledged: number; // commits that were acknowledged to the writer
  found: number; // commits in the store, including some whose acknowledgement the kill prevented
  lost: number; // acknowledged but not in the store
  half: number; // in the store in part
}

/** Stops the database hard and starts it again; the writer is killed while it is down. */
type Crash = (killWriter: () => Promise<void>) => Promise<void>;

const writerFile = fileURLToPath(compiledFile('writer.js', import.meta.url));
const maxLifetime = 120; // milliseconds after the first commit
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
  const writer = spawn(process.execPath, [writerFile, url, run], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  writer.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  writer.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  const begun = await Promise.race([once(writer.stdout, 'data'), once(writer, 'close').then(() => null)]);
  if (begun === null) throw new Error(`the writer ended by itself: ${errors}`);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * maxLifetime));
  if (crash) await crash(() => kill(writer));
  else await kill(writer);
  return output.split('\n').length - 1; // an incomplete last line does not count
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
    await untilUnchanged(store);
    const changes = await store.changesSince(before, bundle);
    if (changes.kind !== 'changes') throw new Error('the registry forgot the position before the kill');
    const classes = new Map(changes.changed.map((each) => [each.name, each]));
    const examples = new Map(changes.examples.added.map((each) => [each.id, each]));
    const commits = changes.position.revision - before.revision;
    count.acknowledged += acknowledged;
    count.found += commits;
    for (let number = 0; number < Math.max(commits, acknowledged) + 1; number++) {
      const finding = await findBatch(store, classes, examples, run, number);
      if (finding === 'half') count.half++;
      if (finding === 'absent' && number < acknowledged) count.lost++;
      if ((finding === 'whole') !== number < commits) count.half++; // content and revision contradict each other
    }
    return changes.position;
  } finally {
    await store.close();
  }
}

/** PostgreSQL may still be finishing the last commit of a dead client; waits until the revision no longer changes. */
async function untilUnchanged(store: ClassStore): Promise<void> {
  let last = -1;
  for (;;) {
    const { position } = await store.load(bundle);
    if (position.revision === last) return;
    last = position.revision;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}
