/** Asks a server about many files, several at a time, and hands out the outcomes in the order of the files. */
import { readFile } from 'node:fs/promises';
import { UnseenProblem, type ClassifyResponse } from '../../client/index.js';
import { Failure, type FailureCode } from '../../core/failures.js';
import { stopIfAsked } from '../../core/stop.js';
import type { FileOutcome } from '../classification-table.js';
import { Pace } from './pace.js';

export type Ask = (bytes: Uint8Array, signal: AbortSignal) => Promise<ClassifyResponse>;

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
const maxInFlight = 16;
/** How often a file is asked about while the server is busy, or away after it has answered others. */
const maxRefusals = 60;
const maxUnreachable = 8;

/**
 * `ask` must not retry by itself: waiting is for all requests together. `onOutcome` is awaited before the next outcome is
 * handed out, and called in the order of the files.
 */
export async function answerFiles(
  files: readonly string[],
  ask: Ask,
  asked: AbortSignal,
  onOutcome: (outcome: FileOutcome, done: number) => void | Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([asked, failed.signal]);
  const pace = new Pace({ max: maxInFlight });
  const early = new Map<number, FileOutcome>(); // answered before one that comes earlier
  let [next, handedOut, answered] = [0, 0, 0];
  let handing = Promise.resolve();

  const handOut = async (place: number, outcome: FileOutcome): Promise<void> => {
    early.set(place, outcome);
    handing = handing.then(async () => {
      for (let ready = early.get(handedOut); ready; ready = early.get(handedOut)) {
        early.delete(handedOut++);
        await onOutcome(ready, handedOut);
      }
    });
    await handing;
  };
  const answer = async (bytes: Uint8Array): Promise<ClassifyResponse> => {
    let [refusals, unreachable] = [0, 0];
    for (;;) {
      await pace.enter(signal);
      try {
        const response = await ask(bytes, signal);
        pace.answered();
        answered += 1;
        return response;
      } catch (error) {
        const busy = isBusy(error) && refusals++ < maxRefusals;
        // A server that answered before may be restarting; one that never did is told at once.
        const away = isAway(error) && answered > 0 && unreachable++ < maxUnreachable;
        if (!busy && !away) {
          pace.answered();
          throw error;
        }
        pace.refused((error as UnseenProblem).retryAfterSeconds);
      }
    }
  };
  const worker = async (): Promise<void> => {
    while (next < files.length) {
      stopIfAsked(signal);
      const place = next++;
      await handOut(place, await outcomeOf(files[place], answer));
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(maxInFlight, files.length) }, worker));
  } catch (error) {
    failed.abort(error);
    await handing.catch(() => undefined);
    stopIfAsked(asked);
    if (error instanceof UnseenProblem) throw new Failure(error.code, error.detail, { cause: error });
    throw error;
  }
}

async function outcomeOf(
  file: string,
  answer: (bytes: Uint8Array) => Promise<ClassifyResponse>,
): Promise<FileOutcome> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    return {
      file,
      problem: { code: 'image-invalid', detail: whyUnreadable(error as NodeJS.ErrnoException) },
    };
  }
  try {
    return { file, ...(await answer(bytes)) };
  } catch (error) {
    if (!(error instanceof UnseenProblem) || aboutTheCall.includes(error.code)) throw error;
    const { code, detail, requestId } = error;
    return { file, problem: { code, detail, ...(requestId !== undefined && { requestId }) } };
  }
}

function whyUnreadable({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'It cannot be read: there is no such file.';
  if (code === 'EACCES' || code === 'EPERM') return 'It cannot be read: you have no permission to.';
  return `It cannot be read: ${message}`;
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof UnseenProblem)) return false;
  return error.status === 429 || (error.status === 503 && error.retryAfterSeconds !== undefined);
}

function isAway(error: unknown): boolean {
  return error instanceof UnseenProblem && error.code === 'server-unreachable';
}
