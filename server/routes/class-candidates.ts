/** Classes as a request gives them, checked against the model: what would be stored, or everything that is wrong with them. */
import type { Manifest } from '../../core/bundle/manifest.js';
import { Failure, type FieldProblem } from '../../core/failures.js';
import { checkAttributes, tooMany } from '../classes/attribute-vector.js';
import type { ClassContent } from '../classes/store/contract.js';
import type { ServerConfiguration } from '../configuration.js';
import type { NewClass } from '../contract/class-schemas.js';

export interface Candidate {
  readonly content: ClassContent;
  readonly warnings: readonly string[];
}

/** Checks all of them, and names everything that is wrong at once. */
export function checkCandidates(
  given: readonly NewClass[],
  isMany: boolean,
  described: Manifest['attributes'],
  outOfRange: ServerConfiguration['attributesOutOfRange'],
): Candidate[] {
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  const candidates = given.map(({ name, attributes: values }, index) => {
    const path = isMany ? ['classes', index] : [];
    if (names.has(name))
      problems.push({ pointer: `/classes/${index}/name`, detail: 'this name is given twice' });
    names.add(name);
    const checked = checkAttributes(values, described, outOfRange, [...path, 'attributes']);
    problems.push(...checked.problems);
    return { content: { name, attributes: checked.attributes }, warnings: checked.warnings };
  });
  if (problems.length === 0) return candidates;
  const fields = problems.slice(0, 100);
  const list = fields.slice(0, 5).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  const more = problems.length > 5 ? ` (and ${problems.length - 5} more)` : '';
  throw new Failure('attributes-invalid', `The attributes do not fit the model: ${list.join('; ')}${more}.`, {
    fields,
  });
}

/** Before anything is checked value by value. */
export function refuseTooMany(value: unknown, described: Manifest['attributes']): void {
  const problem = tooMany(value, described.length);
  if (problem)
    throw new Failure('attributes-invalid', `The body holds ${problem.detail} at "${problem.pointer}".`, {
      fields: [problem],
    });
}
