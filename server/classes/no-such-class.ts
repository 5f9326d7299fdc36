import { Failure } from '../../core/failures.js';
import { didYouMean } from '../../core/similar-names.js';

/** Of a registry. */
export function namesOf(classes: { list(): readonly { readonly name: string }[] }): string[] {
  return classes.list().map(({ name }) => name);
}

/** For every route and change that names a class: what was most likely meant, too. */
export function noSuchClass(
  name: string,
  names: Iterable<string>,
  rest = 'GET /classes lists them.',
): Failure {
  return new Failure('not-found', `There is no class "${name}". ${rest}${didYouMean(name, names)}`);
}
