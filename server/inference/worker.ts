/**
 * An inference worker: a process, so that it dies alone (docs/decisions/0005), with a thread in which networks run. This half
 * passes messages on: while the network runs one batch, the next one is already received. It also reports that the process is alive
 * while the thread is in a native call: a process that was stopped is told from a network that takes long.
 */
import { parentProcess } from '../../core/channel/processes.js';
import { aliveMilliseconds, type RequestMessage } from '../../core/channel/protocol.js';
import { startThread } from '../../core/channel/threads.js';
import type { Batch } from './worker-protocol.js';

let pending = 0;

const server = parentProcess();
const thread = startThread(new URL('./worker-thread.js', import.meta.url));
thread.onMessage((message) => {
  if ('id' in message) pending -= 1;
  server.send(message);
});
thread.onExit((reason) => {
  server.fail(new Error(`the thread in which networks run ended (${reason})`));
});
server.onMessage((message) => {
  if (message.id !== null) pending += 1;
  thread.send(message, movable(message));
});

setInterval(() => {
  if (pending > 0) server.send({ alive: true });
}, aliveMilliseconds);

/** The memory of a batch moves to the thread instead of being copied. */
function movable({ kind, argument }: RequestMessage): ArrayBuffer[] {
  if (kind !== 'classify') return [];
  const batch = argument as Batch;
  const { buffer, byteLength } = batch.kind === 'pictures' ? batch.pixels : batch.features;
  return buffer.byteLength === byteLength ? [buffer] : []; // a view of a larger message cannot be moved alone
}
