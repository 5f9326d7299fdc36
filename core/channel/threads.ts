/** Workers in threads: cheaper than processes, and memory can move to them instead of being copied. */
import { parentPort, Worker } from 'node:worker_threads';
import type { Endpoint, Port, RequestMessage, WorkerMessage } from './protocol.js';

export function startThread(file: URL): Endpoint {
  const worker = new Worker(file);
  return {
    send: (message, transfer = []) => {
      worker.postMessage(message, transfer);
    },
    onMessage: (listener) => {
      worker.on('message', (message: WorkerMessage) => {
        listener(message);
      });
    },
    onExit: (listener) => {
      let reported = false;
      const report = (reason: string): void => {
        if (!reported) listener(reason);
        reported = true;
      };
      worker.on('error', (error: Error) => {
        report(error.message);
      });
      worker.on('exit', (code) => {
        report(`exit code ${code}`);
      });
    },
    // Not waited for: a thread in a native call ends only when that call returns.
    kill: () => void worker.terminate(),
  };
}

/** In the thread: whoever started it. */
export function parentThread(): Port {
  const port = parentPort!;
  return {
    send: (message, transfer = []) => {
      port.postMessage(message, transfer);
    },
    onMessage: (listener) => {
      port.on('message', (message: RequestMessage) => {
        listener(message);
      });
    },
    fail: (error) => {
      throw error;
    },
  };
}
