/**
 * Processes for inference workers. Some may be begun ahead of their need: they load their modules while this process still
 * loads its own and reads the model.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { compiledFile } from '../../core/compiled-file.js';

export class WorkerProcesses {
  private readonly spare: ChildProcess[] = [];

  prepare(count: number): this {
    while (this.spare.length < count) this.spare.push(begin());
    return this;
  }

  take(): ChildProcess {
    for (;;) {
      const spare = this.spare.pop();
      if (!spare) return begin();
      if (spare.connected && spare.exitCode === null && spare.signalCode === null) return spare;
    }
  }

  /** Ends those that nobody took: each would keep this process alive. */
  close(): void {
    for (const child of this.spare.splice(0)) child.kill('SIGKILL');
  }
}

function begin(): ChildProcess {
  const child = fork(compiledFile('./worker.js', import.meta.url), {
    serialization: 'advanced', // pixels travel as bytes
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  });
  child.on('error', () => undefined); // a spare one that cannot be started is not taken
  return child;
}
