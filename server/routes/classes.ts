/** /classes: the classes that compete, and how to add one from nothing but its attributes. */
import { Router, type Request, type Response } from 'express';
import { Failure, type FieldProblem } from '../../core/failures.js';
import { checkAttributes, tooMany } from '../classes/attribute-vector.js';
import type { ChangeResult, KnownClass } from '../classes/contract.js';
import type { ClassContent } from '../classes/store/contract.js';
import {
  createQuerySchema,
  listQuerySchema,
  newClassesSchema,
  newClassSchema,
  replacementSchema,
  type NewClass,
} from '../contract/class-schemas.js';
import { onlyMethods } from '../http/errors.js';
import { readJson, validateBody } from '../http/json.js';
import { named, requestSignal } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import type { RouteDependencies } from './dependencies.js';
import { answerOnce, type StoredAnswer } from './idempotency.js';
import { atLeastRevision } from './registry-revision.js';

/** Each takes a fit of its own. */
const mostPreviews = 50;
const dryRunSeconds = 120;

interface Candidate {
  readonly content: ClassContent;
  readonly warnings: readonly string[];
}

export function classRoutes(dependencies: RouteDependencies): Router {
  const { classes, caller, admin } = dependencies;
  const router = Router();
  router
    .route('/classes')
    .all(named('classes'))
    .get(caller, atLeastRevision(classes), (request, response) => {
      response.json(page(request, dependencies));
    })
    .post(admin, (request, response) => create(request, response, dependencies))
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/classes/:name')
    .all(named('class'))
    .get(caller, atLeastRevision(classes), (request, response) => {
      const { name } = request.params;
      const known = classes.get(name);
      if (!known) throw new Failure('not-found', `There is no class "${name}". GET /classes lists them.`);
      response.setHeader('ETag', quoted(known.etag));
      response.json(shownClass(known));
    })
    .put(admin, (request, response) => replace(request, response, dependencies))
    .delete(admin, async (request, response) => {
      const { name } = request.params;
      const { revision } = await classes.change([{ kind: 'remove', name, ifMatch: ifMatchOf(request) }]);
      response.setHeader('Registry-Revision', revision);
      response.status(204).end();
    })
    .all(onlyMethods('GET', 'PUT', 'DELETE'));
  return router;
}

async function create(request: Request, response: Response, dependencies: RouteDependencies): Promise<void> {
  const { dryRun } = validate(createQuerySchema, request.query, 'query');
  const { value, bytes } = await readJson(request, response, dependencies);
  refuseTooMany(value, dependencies);
  const isMany = typeof value === 'object' && value !== null && 'classes' in value;
  const given: NewClass[] = isMany
    ? validateBody(newClassesSchema, value).classes
    : [validateBody(newClassSchema, value)];
  const candidates = check(given, isMany, dependencies);
  if (dryRun) {
    const signal = requestSignal(request, response, dryRunSeconds);
    response.json(await preview(candidates, signal, dependencies));
    return;
  }
  const changes = candidates.map(({ content }) => ({ kind: 'create', content }) as const);
  const answer = (result: ChangeResult): StoredAnswer =>
    isMany ? manyAnswer(result, candidates) : oneAnswer(result, candidates[0]);
  await answerOnce(request, response, bytes, dependencies.classes, changes, answer);
}

async function replace(request: Request, response: Response, dependencies: RouteDependencies): Promise<void> {
  const name = String(request.params.name);
  const ifMatch = ifMatchOf(request);
  const { value } = await readJson(request, response, dependencies);
  refuseTooMany(value, dependencies);
  const { attributes } = validateBody(replacementSchema, value);
  const [{ content, warnings }] = check([{ name, attributes }], false, dependencies);
  const { outcomes, revision } = await dependencies.classes.change([{ kind: 'replace', content, ifMatch }]);
  const { known } = outcomes[0];
  response.setHeader('ETag', quoted(known.etag));
  response.setHeader('Registry-Revision', revision);
  response.json({ ...shownClass(known, warnings), registryRevision: revision });
}

/** All that is wrong with all of them, at once. */
function check(
  given: readonly NewClass[],
  isMany: boolean,
  { inference, settings }: RouteDependencies,
): Candidate[] {
  const described = inference.model.manifest.attributes;
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  const candidates = given.map(({ name, attributes: values }, index) => {
    const path = isMany ? ['classes', index] : [];
    if (names.has(name))
      problems.push({ pointer: `/classes/${index}/name`, detail: 'this name is given twice' });
    names.add(name);
    const checked = checkAttributes(values, described, settings.attributesOutOfRange, [
      ...path,
      'attributes',
    ]);
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

function refuseTooMany(value: unknown, { inference }: RouteDependencies): void {
  const problem = tooMany(value, inference.model.manifest.attributes.length);
  if (problem)
    throw new Failure('attributes-invalid', `The body holds ${problem.detail} at "${problem.pointer}".`, {
      fields: [problem],
    });
}

async function preview(
  candidates: readonly Candidate[],
  signal: AbortSignal,
  { classes }: RouteDependencies,
) {
  if (candidates.length > mostPreviews)
    throw new Failure('attributes-invalid', `A dry run takes at most ${mostPreviews} classes at a time.`, {
      fields: [{ pointer: '/classes', detail: `at most ${mostPreviews}` }],
    });
  const previews = [];
  for (const { content, warnings } of candidates) {
    signal.throwIfAborted();
    const confusion = await classes.preview(content);
    previews.push({ name: content.name, ...confusion, ...(warnings.length > 0 && { warnings }) });
  }
  return { previews, registryRevision: classes.revision };
}

function oneAnswer({ outcomes, revision }: ChangeResult, { warnings }: Candidate): StoredAnswer {
  const [{ kind, known }] = outcomes;
  return {
    status: kind === 'created' ? 201 : 200,
    headers: {
      ETag: quoted(known.etag),
      Location: `/classes/${encodeURIComponent(known.name)}`,
      'Registry-Revision': String(revision),
    },
    body: { ...shownClass(known, warnings), registryRevision: revision },
  };
}

function manyAnswer({ outcomes, revision }: ChangeResult, candidates: readonly Candidate[]): StoredAnswer {
  return {
    status: outcomes.some(({ kind }) => kind === 'created') ? 201 : 200,
    headers: { 'Registry-Revision': String(revision) },
    body: {
      classes: outcomes.map(({ kind, known }, i) => ({
        ...shownClass(known, candidates[i].warnings),
        outcome: kind,
      })),
      registryRevision: revision,
    },
  };
}

function page(request: Request, { classes }: RouteDependencies) {
  const { kind, limit, after } = validate(listQuerySchema, request.query, 'query');
  const ofKind = classes.list().filter(({ seen, runtime }) => {
    if (kind === undefined) return true;
    return kind === 'runtime' ? runtime : kind === 'seen' ? seen : !seen;
  });
  const start = after === undefined ? 0 : ofKind.findIndex(({ name }) => name > after);
  const shown = start < 0 ? [] : ofKind.slice(start, start + limit);
  const isMore = start >= 0 && start + limit < ofKind.length;
  return {
    classes: shown.map((known) => ({ ...shownClass(known), attributes: undefined })),
    total: ofKind.length,
    ...(isMore && { next: shown.at(-1)!.name }),
    registryRevision: classes.revision,
  };
}

function shownClass(known: KnownClass, warnings: readonly string[] = []) {
  const { createdAt, updatedAt, ...rest } = known;
  return {
    ...rest,
    ...(createdAt !== undefined && { createdAt: new Date(createdAt).toISOString() }),
    ...(updatedAt !== undefined && { updatedAt: new Date(updatedAt).toISOString() }),
    ...(warnings.length > 0 && { warnings }),
  };
}

const quoted = (etag: string): string => `"${etag}"`;

/** A change must say which state it was made against, so that two people do not undo each other's work. */
function ifMatchOf(request: Request): string {
  const given = request.header('if-match')?.trim();
  if (given === undefined)
    throw new Failure(
      'precondition-required',
      'Send If-Match with the ETag that GET answered, or * to change whatever is there.',
    );
  return given === '*' ? '*' : given.replace(/^(?:W\/)?"(.*)"$/, '$1');
}
