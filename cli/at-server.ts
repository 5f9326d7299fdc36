/** What commands that change a running server have in common: where it is, and with which key. */
import { Option, type Command } from 'commander';
import { UnseenClient, UnseenProblem } from '../client/index.js';
import { Failure } from '../core/failures.js';
import { keyOfLocalServer } from '../server/local-servers.js';
import { commandsFor } from './commands-for.js';
import type { CommandContext } from './context.js';
import type { Runner } from './program.js';
import { serverOption, startServerHint } from './server-address.js';

export interface ServerOptions {
  readonly url: string;
  readonly key?: string;
  readonly json?: boolean;
}

export type Work = (client: UnseenClient, context: CommandContext) => Promise<void>;

/** For files that are given the way to the server; `options` are those that withServer adds. */
export type AtServer = (options: object, work: Work) => Promise<void>;

export function withServer(command: Command): Command {
  const keyHelp = 'a key; left out, the one that a server on this machine made for itself';
  return command
    .addOption(serverOption())
    .addOption(new Option('--key <key>', keyHelp).env('UNSEEN_KEY'))
    .option('--json', 'print one JSON document');
}

export async function atServer(
  run: Runner,
  { url, key: given, json }: ServerOptions,
  work: Work,
): Promise<void> {
  await run(json === true, async (context) => {
    const key = given ?? (await keyOfLocalServer(url));
    try {
      // Adding thousands of classes takes minutes.
      await work(new UnseenClient({ url, key, timeoutSeconds: 600 }), context);
    } catch (error) {
      if (!(error instanceof UnseenProblem)) throw error;
      const hint = error.code === 'server-unreachable' ? ` ${startServerHint(url)}` : '';
      throw new Failure(error.code, `${commandsFor(error.detail)}${hint}`, { cause: error });
    }
  });
}
