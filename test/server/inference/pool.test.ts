import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { RequestMessage } from '../../../core/channel/protocol.js';
import { Pool } from '../../../server/inference/pool.js';
import type { WorkerProcesses } from '../../../server/inference/worker-processes.js';
import type { WorkerReady, WorkerStart } from '../../../server/inference/worker-protocol.js';

/** Answers everything at once, and remembers what it was asked. */
class AnsweringProcess extends EventEmitter {
  readonly asked: (string | number)[][] = [];
  readonly connected = true;
  readonly exitCode = null;
  readonly signalCode = null;

  send({ id, kind, argument }: RequestMessage): boolean {
    this.asked.push(typeof argument === 'number' ? [kind, argument] : [kind]);
    const ready: WorkerReady = { provider: 'cpu', secondsPerPicture: 0.01 };
    setImmediate(() => this.emit('message', { id, answer: kind === 'start' ? ready : undefined }));
    return true;
  }

  kill(): boolean {
    setImmediate(() => this.emit('exit', null, 'SIGKILL'));
    return true;
  }
}

test('a worker is ready after the smallest batch; explanations and larger batches are prepared once it is', async () => {
  const child = new AnsweringProcess();
  const pool = new Pool({
    workers: 1,
    batchSizes: [1, 2, 4],
    start: () => ({}) as WorkerStart,
    checkWeights: () => Promise.resolve(),
    processes: { claim: () => child as unknown as ChildProcess } as WorkerProcesses,
    events: { batch: () => undefined, restarted: () => undefined, onFallback: () => undefined },
  });
  await pool.start();
  expect(pool.workersReady).toBe(1);
  expect(child.asked).toEqual([['start']]);
  const all = [['start'], ['prepareExplanations'], ['warmUp', 2], ['warmUp', 4]];
  await expect.poll(() => child.asked, { timeout: 5000 }).toEqual(all);
  await pool.close();
});
