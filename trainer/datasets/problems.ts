import { Failure } from '../../core/failures.js';

export function cannotOpen(path: string, error: unknown): Failure {
  return new Failure('dataset-not-found', `Cannot open ${path}: ${whyNotOpened(error)}`, { cause: error });
}

/** What the system says of a file, in words: EISDIR is no message. */
export function whyNotOpened(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file.',
    EISDIR: 'it is a folder. Name the file in it.',
    EACCES: 'you have no permission to read it.',
  };
  return (code === undefined ? undefined : known[code]) ?? message;
}

/** Lists every problem of a dataset at once, so that it can be repaired in one go. */
export function datasetInvalid(path: string, problems: readonly string[]): Failure {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new Failure(
    'dataset-invalid',
    `The dataset ${path} has ${count}:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
  );
}
