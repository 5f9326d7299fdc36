/** The thread that holds a SQLite connection, because its calls block until the disk has answered. Started by thread.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from './connection.js';
import { problemOf } from './problems.js';
import type { ThreadAnswer, ThreadRequest, ThreadStart } from './protocol.js';

const port = parentPort!;
const answer = (message: ThreadAnswer): void => {
  port.postMessage(message);
};

try {
  const connection = Connection.open(workerData as ThreadStart);
  port.on('message', (request: ThreadRequest) => {
    if (request.kind === 'close') {
      connection.close();
      port.close();
      return;
    }
    try {
      answer({ kind: 'rows', rows: connection.query(request.sql, request.parameters) });
    } catch (error) {
      answer({ kind: 'failed', problem: problemOf(error, request.sql) });
    }
  });
  answer({ kind: 'ready' });
} catch (error) {
  answer({ kind: 'failed', problem: problemOf(error, 'open') });
}
