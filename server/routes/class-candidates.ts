/** Classes as a request gives them, checked against the model: what would be stored, or everything that is wrong with them. */
import type { Manifest } from '../../core/bundle/manifest.js';
import { normalisedName } from '../../core/class-name.js';
import { didYouMean } from '../../core/similar-names.js';
import { Failure, type FieldProblem } from '../../core/failures.js';
import { checkAttributes, tooMany } from '../classes/attribute-vector.js';
import type { ClassContent } from '../classes/store/contract.js';
import type { ServerConfiguration } from '../configuration.js';
import type { NewClass } from '../contract/class-schemas.js';
import { pointerOf } from '../http/validate.js';
import type { ServedModel } from '../model/contract.js';

export interface Candidate {
  readonly content: ClassContent;
  readonly warnings: readonly string[];
}

interface CandidateChecks {
  /** Given as a list, which pointers to what is wrong say. */
  readonly isMany?: boolean;
  /** Pictures come with the class, or are stored already: it needs no attribute then. */
  readonly hasExamples?: boolean;
  readonly outOfRange: ServerConfiguration['attributesOutOfRange'];
}

/** Checks all of them, and names everything that is wrong at once. */
export function checkCandidates(
  given: readonly NewClass[],
  { manifest, classes }: Pick<ServedModel, 'manifest' | 'classes'>,
  { isMany = false, hasExamples = false, outOfRange }: CandidateChecks,
): Candidate[] {
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  const earlier = new Map<string, ClassContent>(); // a table may describe a class, and others like it
  const inRequest = new Set(given.map(({ name }) => normalisedName(name)));
  const candidates = given.map(({ name, attributes: values = {}, like }, index) => {
    const path = isMany ? ['classes', index] : [];
    if (names.has(name))
      problems.push({ pointer: `/classes/${index}/name`, detail: 'this name is given twice' });
    names.add(name);
    const model = like === undefined ? undefined : (earlier.get(normalisedName(like)) ?? classes.get(like));
    if (like !== undefined && !model)
      problems.push({
        pointer: pointerOf([...path, 'like']),
        detail:
          normalisedName(like) === normalisedName(name)
            ? 'this is the class itself; name one that is there already'
            : inRequest.has(normalisedName(like))
              ? `"${like}" must come before the classes that are like it; move it up`
              : `there is no class "${like}"; GET /classes lists them${suggestion(like, classes)}`,
      });
    if (model && isEmpty(model.attributes))
      problems.push({
        pointer: pointerOf([...path, 'like']),
        detail: `"${like}" has no attributes to take, because pictures are all that is known of it; name another class, or leave it out`,
      });
    const place = [...path, 'attributes'];
    const checked = checkAttributes(values, manifest, outOfRange, place, model?.attributes);
    problems.push(...checked.problems);
    if (!hasExamples && like === undefined && checked.problems.length === 0 && isEmpty(checked.attributes))
      problems.push({
        pointer: pointerOf(place),
        detail: 'at least one attribute or one example picture is needed',
      });
    const content = { name, attributes: checked.attributes };
    earlier.set(normalisedName(name), content);
    return { content, warnings: checked.warnings };
  });
  if (problems.length === 0) return candidates;
  const fields = problems.slice(0, 100);
  const list = fields.slice(0, 5).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  const more = problems.length > 5 ? ` (and ${problems.length - 5} more)` : '';
  const listed = `${list.join('; ')}${more}`;
  const end = listed.endsWith('?') ? '' : '.';
  throw new Failure('attributes-invalid', `The attributes do not fit the model: ${listed}${end}`, { fields });
}

function isEmpty(attributes: object): boolean {
  return Object.keys(attributes).length === 0;
}

/** Before anything is checked value by value. */
export function refuseTooMany(value: unknown, described: Manifest['attributes']): void {
  const problem = tooMany(value, described.length);
  if (problem)
    throw new Failure('attributes-invalid', `The body holds ${problem.detail} at "${problem.pointer}".`, {
      fields: [problem],
    });
}

function suggestion(like: string, classes: ServedModel['classes']): string {
  const hint = didYouMean(
    like,
    classes.list().map(({ name }) => name),
  );
  return hint === '' ? '' : `.${hint}`;
}
