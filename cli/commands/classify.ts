import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import { UnseenClient, UnseenProblem, type ClassifyResponse } from '../../client/index.js';
import { Failure, type FailureCode } from '../../core/failures.js';
import { stopIfAsked } from '../../core/stop.js';
import { classificationTable, type FileOutcome } from '../classification-table.js';
import { exitCodes } from '../exit-codes.js';
import { count } from '../numbers.js';
import type { AddCommand } from '../program.js';
import { serverAddress } from '../server-address.js';

interface ClassifyCommandOptions {
  readonly url: string;
  readonly topK: number;
  readonly explain?: boolean;
  readonly unseenBias?: number;
  readonly classes?: readonly string[];
  readonly group?: readonly string[];
  readonly minProbability?: number;
  readonly scoresOf?: readonly string[];
  readonly groupBy?: string;
  readonly key?: string;
  readonly json?: boolean;
}

/** Enough to fill a server's batches, too few to fill its queue. */
const filesInFlight = 4;

/** Errors that every other file would get as well. */
const aboutTheCall: readonly FailureCode[] = [
  'server-unreachable',
  'request-invalid',
  'class-unknown',
  'unauthenticated',
  'forbidden',
  'not-found',
  'method-not-allowed',
];

export const addClassifyCommand: AddCommand = (program, run) => {
  program
    .command('classify')
    .description('Ask a running server what is in pictures.')
    .argument('<file...>', 'pictures: JPEG, PNG or WebP')
    .option('--url <url>', 'where the server is', serverAddress, 'http://127.0.0.1:8080')
    .option('--top-k <number>', 'how many classes to show', count, 5)
    .option('--explain', 'also show what the model reads from the pictures')
    .option('--unseen-bias <number>', "overrides the model's own; GET /attributes names the range", finite)
    .option('--classes <names>', 'only these classes may answer: a,b (may be repeated)', collected)
    .option('--group <name>', 'only classes of this group may answer (may be repeated)', collected)
    .option('--min-probability <number>', 'leave out what is less likely, from 0 to 1', finite)
    .option('--scores-of <names>', 'also show these classes, however unlikely (may be repeated)', collected)
    .option('--group-by <family>', 'also show probabilities summed over the groups of a family')
    .addOption(new Option('--key <key>', 'API key, if the server requires one').env('UNSEEN_KEY'))
    .option('--json', 'print the answers as JSON')
    .addHelpText(
      'after',
      `
Examples:
  unseen classify flag.jpg
  unseen classify photos/*.jpg --top-k 3 --url http://gpu-machine:8080
  unseen classify flag.jpg --classes Japan,Sweden --classes Kilo
  unseen classify bird.jpg --group garden-birds --min-probability 0.1
  UNSEEN_KEY=… unseen classify bird.png --explain --json`,
    )
    .action(async (files: string[], options: ClassifyCommandOptions) => {
      await run(options.json === true, async (context) => {
        const outcomes = await classifyFiles(files, options, context.signal);
        context.result(classificationTable(outcomes), { url: options.url, files: outcomes });
        // The answers are printed; the exit code reports that some files have none.
        if (outcomes.some((outcome) => 'problem' in outcome)) process.exitCode = exitCodes['image-invalid'];
      });
    });
};

async function classifyFiles(
  files: readonly string[],
  options: ClassifyCommandOptions,
  stop: AbortSignal,
): Promise<FileOutcome[]> {
  const { url, key, group: groups } = options;
  const client = new UnseenClient({ url, key });
  const refused = new AbortController();
  const signal = AbortSignal.any([stop, refused.signal]);
  const outcomes: FileOutcome[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < files.length) {
      const place = next++;
      const ask = (bytes: Buffer) => client.classify(bytes, { ...options, groups, signal });
      outcomes[place] = await classifyFile(files[place], ask);
    }
  };
  try {
    await Promise.all(Array.from({ length: filesInFlight }, worker));
  } catch (error) {
    refused.abort(error);
    stopIfAsked(stop);
    if (error instanceof UnseenProblem) throw new Failure(error.code, error.detail, { cause: error });
    throw error;
  }
  return outcomes;
}

async function classifyFile(
  file: string,
  ask: (bytes: Buffer) => Promise<ClassifyResponse>,
): Promise<FileOutcome> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const detail = `It cannot be read: ${(error as Error).message}`;
    return { file, problem: { code: 'image-invalid', detail } };
  }
  try {
    return { file, ...(await ask(bytes)) };
  } catch (error) {
    if (!(error instanceof UnseenProblem) || aboutTheCall.includes(error.code)) throw error;
    const { code, detail, requestId } = error;
    return { file, problem: { code, detail, ...(requestId !== undefined && { requestId }) } };
  }
}

function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function finite(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
}
