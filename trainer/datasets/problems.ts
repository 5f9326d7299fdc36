import { Failure } from '../../core/failures.js';
import { whyNotOpened } from '../../core/why-not-opened.js';

export function cannotOpen(path: string, error: unknown): Failure {
  return new Failure('dataset-not-found', `Cannot open ${path}: ${whyNotOpened(error)}`, { cause: error });
}

/** Lists every problem of a dataset at once, so that it can be repaired in one go. */
export function datasetInvalid(path: string, problems: readonly string[]): Failure {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new Failure(
    'dataset-invalid',
    `The dataset ${path} has ${count}:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
  );
}
