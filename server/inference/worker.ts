/**
 * An inference worker: a process, so that it dies alone (docs/decisions/0005), with a thread in which networks run. This half
 * passes messages on: while the network runs one batch, the next one is already received. It also reports that the process is alive
 * while the thread is in a native call: a process that was stopped is told from a network that takes long.
 */
import { parentProcess } from '../../core/channel/processes.js';
import { aliveMilliseconds } from '../../core/channel/protocol.js';
import { startThread } from '../../core/channel/threads.js';

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
  thread.send(message);
});

setInterval(() => {
  if (pending > 0) server.send({ alive: true });
}, aliveMilliseconds);
