/** Where answers come from: a running server, or a bundle that this command serves to itself on a port that nobody else knows. */
import { UnseenClient, UnseenProblem, type ClassifyOptions } from '../../client/index.js';
import { Failure } from '../../core/failures.js';
import type { Watcher } from '../../core/progress.js';
import { notedLogger } from '../noted-logger.js';
import { startServerHint } from '../server-address.js';
import type { Ask } from './answer-files.js';

export interface AnswerSource {
  readonly url: string;
  /** The version of the model, by which answers of another one are told apart. */
  readonly model: string;
  readonly ask: Ask;
  close(): Promise<void>;
}

type Question = Omit<ClassifyOptions, 'signal' | 'atLeastRevision'>;

export async function askServer(
  url: string,
  key: string | undefined,
  question: Question,
  signal: AbortSignal,
): Promise<AnswerSource> {
  // Waiting and sending again is for all requests together: cli/classify/pace.ts.
  const client = new UnseenClient({ url, key, retries: 0 });
  try {
    const { model } = await new UnseenClient({ url, key, retries: 10 }).attributes({ signal });
    return {
      url,
      model: model.version,
      ask: (bytes, stop) => client.classify(bytes, { ...question, signal: stop }),
      close: () => Promise.resolve(),
    };
  } catch (error) {
    if (!(error instanceof UnseenProblem)) throw error;
    const hint =
      error.code === 'server-unreachable'
        ? ` ${startServerHint(url)} Without a server, --bundle BUNDLE opens the model here.`
        : '';
    throw new Failure(error.code, `${error.detail}${hint}`, { cause: error });
  }
}

interface OwnModel {
  readonly bundle: string;
  readonly registry?: string | undefined;
  readonly backbone?: string | undefined;
}

/** The same way through decoding, batches and head as a server's, so that the answers are the same. */
export async function serveToItself(
  { bundle, registry = 'sqlite::memory:', backbone }: OwnModel,
  question: Question,
  watcher: Watcher,
): Promise<AnswerSource> {
  // Loaded when needed: asking a server should not wait for the modules of one.
  const { serverConfigurationSchema } = await import('../../server/configuration.js');
  const { startServer } = await import('../../server/run.js');
  const settings = serverConfigurationSchema.parse({
    bundle,
    port: 0,
    registry,
    ...(backbone !== undefined && { backbone }),
    logLevel: 'warn',
  });
  watcher.note(`Opening ${bundle} …`);
  const server = await startServer(settings, { watcher, logger: await notedLogger(watcher) });
  try {
    const source = await askServer(server.url, undefined, question, watcher.signal);
    return { ...source, close: () => server.stop(0) };
  } catch (error) {
    await server.stop(0);
    throw error;
  }
}
