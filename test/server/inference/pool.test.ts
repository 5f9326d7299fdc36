import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RequestMessage } from '../../../core/channel/protocol.js';
import { Job } from '../../../server/inference/job.js';
import { Pool } from '../../../server/inference/pool.js';
import type { WorkerProcesses } from '../../../server/inference/worker-processes.js';
import type { BatchAnswer, WorkerReady, WorkerStart } from '../../../server/inference/worker-protocol.js';

/** Answers everything at once, and remembers what it was asked. */
class AnsweringProcess extends EventEmitter {
  readonly asked: (string | number)[][] = [];
  readonly connected = true;
  readonly exitCode = null;
  readonly signalCode = null;

  send({ id, kind, argument }: RequestMessage): boolean {
    this.asked.push(typeof argument === 'number' ? [kind, argument] : [kind]);
    const answers: Record<string, WorkerReady | BatchAnswer | undefined> = {
      start: { provider: 'cpu', secondsPerPicture: 0.01 },
      classify: {
        classifications: [{ predictions: [], calibrated: false, novelty: null, verdict: null }],
        ...{ revision: 0, inferSeconds: 0.01, headSeconds: 0, residentBytes: 1 },
      },
    };
    setImmediate(() => this.emit('message', { id, answer: answers[kind] }));
    return true;
  }

  kill(): boolean {
    setImmediate(() => this.emit('exit', null, 'SIGKILL'));
    return true;
  }
}

test('a worker is ready after the smallest batch; explanations and larger batches are prepared after the first answer', async () => {
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
  await sleep(500);
  expect(child.asked).toEqual([['start']]);
  await pool.submit(new Job({ features: new Float32Array(1) }, { topK: 1 }, new AbortController().signal));
  const all = [['start'], ['classify'], ['prepareExplanations'], ['warmUp', 2], ['warmUp', 4]];
  await expect.poll(() => child.asked, { timeout: 5000 }).toEqual(all);
  await pool.close();
});
