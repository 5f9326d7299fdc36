/** Pictures of classes on their way to a server: some in each request, read when they are sent. */
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AddedExamplesResponse, NamedPicture, UnseenClient } from '../client/index.js';
import { Failure } from '../core/failures.js';
import { whyNotOpened } from '../core/why-not-opened.js';

/** A server takes 16 pictures and 20 MB in one request by default. */
const maxPictures = 16;
const maxBytes = 18_000_000;

interface SentPictures extends AddedExamplesResponse {
  /** That were given. */
  readonly sent: number;
}

/** Adds them to a class that exists. What is there already stays: after a failure the same call sends the rest. */
export async function addPictures(
  client: UnseenClient,
  name: string,
  files: readonly string[],
  signal: AbortSignal | undefined,
  onSent: (count: number) => void,
): Promise<SentPictures> {
  const answers: AddedExamplesResponse[] = [];
  for (const part of await inRequests(files)) {
    answers.push(await client.addExamples(name, await readPictures(part), { signal }));
    onSent(part.length);
  }
  const added = answers.reduce((sum, answer) => sum + answer.added, 0);
  return {
    ...answers.at(-1)!,
    added,
    pictures: answers.flatMap(({ pictures }) => pictures),
    sent: files.length,
  };
}

export function readPictures(files: readonly string[]): Promise<NamedPicture[]> {
  return Promise.all(
    files.map(async (file) => ({
      name: basename(file),
      picture: await readFile(file).catch((error: unknown) => {
        throw cannotRead(file, error);
      }),
    })),
  );
}

/** As many files as go into one request each; every file is there before the first one is sent. */
export async function inRequests(files: readonly string[]): Promise<string[][]> {
  const parts: string[][] = [];
  let bytes = 0;
  for (const file of files) {
    const { size } = await stat(file).catch((error: unknown) => {
      throw cannotRead(file, error);
    });
    if (parts.length === 0 || parts.at(-1)!.length === maxPictures || bytes + size > maxBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)!.push(file);
    bytes += size;
  }
  return parts;
}

function cannotRead(file: string, error: unknown): Failure {
  return new Failure('image-invalid', `Cannot read ${file}: ${whyNotOpened(error)}`, { cause: error });
}
