/**
 * Processes for inference workers. Some may be started ahead of their need: they load their modules while this process still
 * loads its own and reads the model.
 */
import type { ChildProcess } from 'node:child_process';
import { forkWorker, processEndpoint } from '../../core/channel/processes.js';
import { SharedSlots } from '../../core/channel/shared-slots.js';
import { compiledFile } from '../../core/compiled-file.js';
import type { InferenceRequests, NetworkStart } from './worker-protocol.js';

export class WorkerProcesses {
  /** Where they find the pixels of pictures. */
  readonly slots = SharedSlots.open();
  private readonly spare: ChildProcess[] = [];

  prepare(count: number): this {
    while (this.spare.length < count) this.spare.push(this.startProcess());
    return this;
  }

  /** The network that the next model will most likely run: those that wait open it while it is still being verified. */
  openAhead(argument: NetworkStart): void {
    const notice = { id: null, kind: 'openAhead' satisfies keyof InferenceRequests, argument };
    for (const child of this.spare) processEndpoint(child).send(notice);
  }

  claim(): ChildProcess {
    for (;;) {
      const spare = this.spare.pop();
      if (!spare) return this.startProcess();
      if (spare.connected && spare.exitCode === null && spare.signalCode === null) return spare;
    }
  }

  /** Ends those that nobody claimed: each would keep this process alive. */
  close(): void {
    for (const child of this.spare.splice(0)) child.kill('SIGKILL');
    this.slots.close();
  }

  private startProcess(): ChildProcess {
    const child = forkWorker(compiledFile('./worker.js', import.meta.url), this.slots);
    child.on('error', () => undefined); // a spare one that cannot be started is not claimed
    return child;
  }
}
