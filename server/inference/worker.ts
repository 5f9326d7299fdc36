/**
 * An inference worker: a process, so that it dies alone, with a thread in which networks run. This half only passes messages
 * on: while the network runs one batch, the next one is already received. Started by worker-handle.ts.
 */
import { Worker } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './worker-protocol.js';

const thread = new Worker(new URL('./worker-thread.js', import.meta.url));
thread.on('message', (message: FromWorker) => process.send!(message));
thread.on('error', (error) => {
  console.error(error);
  process.exit(1);
});
process.on('message', (message: ToWorker) => {
  thread.postMessage(message, memoryOf(message));
});
// Ctrl-C reaches every process of a terminal; the server ends its workers itself when it has answered everybody.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// The server is gone. Not by exit(), which would wait for a network that may hang.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

/** What moves to the thread instead of being copied. */
function memoryOf(message: ToWorker): ArrayBuffer[] {
  if (message.kind !== 'batch') return [];
  const { batch } = message;
  const { buffer, byteLength } = batch.kind === 'pictures' ? batch.pixels : batch.features;
  return buffer.byteLength === byteLength ? [buffer] : []; // a view of a larger message cannot be moved alone
}
