/** Workers in child processes: they die alone, and can be ended in the middle of a native call. */
import { fork, type ChildProcess } from 'node:child_process';
import type { Endpoint, Port, RequestMessage, WorkerMessage } from './protocol.js';
import type { SharedSlots } from './shared-slots.js';

export function forkWorker(file: URL, slots?: SharedSlots): ChildProcess {
  return fork(file, {
    serialization: 'advanced', // typed arrays travel as bytes
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', slots?.file?.descriptor ?? 'ignore'],
    execArgv: [],
  });
}

export function processEndpoint(child: ChildProcess): Endpoint {
  return {
    send: (message) => {
      // A channel that breaks under a message shows as the end of the process.
      if (child.connected) child.send(message, () => undefined);
    },
    onMessage: (listener) => {
      child.on('message', (message) => {
        listener(message as WorkerMessage);
      });
    },
    onExit: (listener) => {
      const { exitCode, signalCode } = child;
      let reported = false;
      const report = (reason: string): void => {
        if (!reported) listener(reason);
        reported = true;
      };
      child.once('error', (error) => {
        report(`it cannot be started: ${error.message}`);
      });
      child.once('exit', (code, signal) => {
        report(signal ?? `exit code ${String(code)}`);
      });
      // It may have ended before anybody listened.
      if (exitCode !== null || signalCode !== null)
        queueMicrotask(() => {
          report(signalCode ?? `exit code ${String(exitCode)}`);
        });
    },
    kill: () => {
      child.kill('SIGKILL');
    },
  };
}

/** In the child: the process that started this one. It ends when that one does. */
export function parentProcess(): Port {
  ignoreSignals();
  // Not by exit(), which would wait for a native call that may hang.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  return {
    send: (message) => {
      // The parent may have ended just now: `disconnect` follows, and there is nobody to tell.
      if (process.connected) process.send!(message, undefined, undefined, () => undefined);
    },
    onMessage: (listener) => {
      process.on('message', (message) => {
        listener(message as RequestMessage);
      });
    },
    fail: (error) => {
      console.error(error);
      process.exit(1);
    },
  };
}

/** Ctrl-C reaches every process of a terminal; the parent ends its workers itself once everybody is answered. */
function ignoreSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
}
