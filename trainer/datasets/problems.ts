import { Failure } from '../../core/failures.js';

/** All that is wrong with a dataset at once: whoever mends it should not have to come back once per problem. */
export function datasetInvalid(path: string, problems: readonly string[]): Failure {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new Failure(
    'dataset-invalid',
    `The dataset ${path} has ${count}:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
  );
}
