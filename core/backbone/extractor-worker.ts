/** The thread in which a session runs, because run() blocks its thread. Started by threaded-extractor.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '../failures.js';
import { Extractor } from './extractor.js';
import type { WorkerAnswer, WorkerRequest, WorkerStart } from './threaded-extractor.js';

const port = parentPort!;
const { backbone, options } = workerData as WorkerStart;
const answer = (message: WorkerAnswer, moved: ArrayBuffer[] = []): void => {
  port.postMessage(message, moved);
};
const failed = (error: unknown): WorkerAnswer => ({
  kind: 'failed',
  code: error instanceof Failure ? error.code : null,
  message: error instanceof Error ? error.message : String(error),
});

try {
  const extractor = await Extractor.open(backbone, {
    ...options,
    ...(options.mayFallBack && {
      onFallback: (reason: string) => {
        answer({ kind: 'fallback', reason });
      },
    }),
  });
  port.on('message', ({ batch, count }: WorkerRequest) => {
    extractor.features(batch, count).then(
      ({ data }) => {
        answer({ kind: 'features', data, batch }, [data.buffer as ArrayBuffer, batch.buffer]);
      },
      (error: unknown) => {
        answer(failed(error));
      },
    );
  });
  answer({ kind: 'ready', provider: extractor.provider, batchSize: extractor.batchSize });
} catch (error) {
  answer(failed(error));
}
