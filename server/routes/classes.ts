/** /classes: the classes that compete, and how to add one from nothing but its attributes. */
import { Router, type Request, type Response } from 'express';
import { Failure } from '../../core/failures.js';
import type { ChangeResult, Classes } from '../classes/contract.js';
import {
  createQuerySchema,
  newClassesSchema,
  newClassSchema,
  replacementSchema,
  type NewClass,
} from '../contract/class-schemas.js';
import { changeClasses } from './change-classes.js';
import { onlyMethods } from '../http/errors.js';
import { readJson, validateBody } from '../http/json.js';
import { named, requestSignal } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import type { ServedModel } from '../model/contract.js';
import { manyAnswer, oneAnswer, pageOfClasses, quoted, shownClass } from './class-answers.js';
import { checkCandidates, refuseTooMany, type Candidate } from './class-candidates.js';
import { nameInPath } from './class-name-in-path.js';
import type { RouteDependencies } from './dependencies.js';
import { answerOnce, type StoredAnswer } from './idempotency.js';
import { ifMatchIn } from './if-match.js';
import { reachRevision } from './registry-revision.js';

/** Each takes a fit of its own. */
const maxPreviews = 50;
const dryRunSeconds = 120;

export function classRoutes(dependencies: RouteDependencies): Router {
  const { serving, caller, admin } = dependencies;
  const router = Router();
  router
    .route('/classes')
    .all(named('classes'))
    .get(caller, async (request, response) => {
      const { classes } = serving.current;
      await reachRevision(request, classes);
      response.json(pageOfClasses(request, classes));
    })
    .post(admin, (request, response) =>
      serving.use((model) => create(model, request, response, dependencies)),
    )
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/classes/:name')
    .all(named('class'))
    .get(caller, async (request, response) => {
      const { classes } = serving.current;
      await reachRevision(request, classes);
      const name = nameInPath(request, classes);
      const known = classes.get(name);
      if (!known) throw new Failure('not-found', `There is no class "${name}". GET /classes lists them.`);
      response.setHeader('ETag', quoted(known.etag));
      response.json(shownClass(known));
    })
    .put(admin, (request, response) =>
      serving.use((model) => replace(model, request, response, dependencies)),
    )
    .delete(admin, async (request, response) => {
      const ifMatch = ifMatchOf(request);
      const result = await serving.use(({ classes }) =>
        changeClasses(request, classes, [{ kind: 'remove', name: nameInPath(request, classes), ifMatch }]),
      );
      response.setHeader('Registry-Revision', result.revision);
      response.status(204).end();
    })
    .all(onlyMethods('GET', 'PUT', 'DELETE'));
  return router;
}

async function create(
  { classes, manifest }: ServedModel,
  request: Request,
  response: Response,
  dependencies: RouteDependencies,
): Promise<void> {
  const { dryRun } = validate(createQuerySchema, request.query, 'query');
  const { value, bytes } = await readJson(request, response, dependencies);
  refuseTooMany(value, manifest.attributes);
  const isMany = typeof value === 'object' && value !== null && 'classes' in value;
  const given: NewClass[] = isMany
    ? validateBody(newClassesSchema, value).classes
    : [validateBody(newClassSchema, value)];
  const { attributesOutOfRange } = dependencies.settings;
  const candidates = checkCandidates(given, isMany, manifest.attributes, attributesOutOfRange);
  if (dryRun) {
    const signal = requestSignal(request, response, dryRunSeconds);
    response.json(await preview(candidates, signal, classes));
    return;
  }
  const changes = candidates.map(({ content }) => ({ kind: 'create', content }) as const);
  const answer = (result: ChangeResult): StoredAnswer =>
    isMany ? manyAnswer(result, candidates) : oneAnswer(result, candidates[0]);
  await answerOnce(request, response, bytes, classes, changes, answer);
}

async function replace(
  { classes, manifest }: ServedModel,
  request: Request,
  response: Response,
  dependencies: RouteDependencies,
): Promise<void> {
  const name = nameInPath(request, classes);
  const ifMatch = ifMatchOf(request);
  const { value } = await readJson(request, response, dependencies);
  refuseTooMany(value, manifest.attributes);
  const { attributes } = validateBody(replacementSchema, value);
  const [{ content, warnings }] = checkCandidates(
    [{ name, attributes }],
    false,
    manifest.attributes,
    dependencies.settings.attributesOutOfRange,
  );
  const result = await changeClasses(request, classes, [{ kind: 'replace', content, ifMatch }]);
  const { outcomes, revision } = result;
  const { known } = outcomes[0];
  response.setHeader('ETag', quoted(known.etag));
  response.setHeader('Registry-Revision', revision);
  response.json({ ...shownClass(known, warnings), registryRevision: revision });
}

async function preview(candidates: readonly Candidate[], signal: AbortSignal, classes: Classes) {
  if (candidates.length > maxPreviews)
    throw new Failure('attributes-invalid', `A dry run takes at most ${maxPreviews} classes at a time.`, {
      fields: [{ pointer: '/classes', detail: `at most ${maxPreviews}` }],
    });
  const previews = [];
  for (const { content, warnings } of candidates) {
    const confusion = await classes.preview(content, signal);
    previews.push({ name: content.name, ...confusion, ...(warnings.length > 0 && { warnings }) });
  }
  return { previews, registryRevision: classes.revision };
}

/** A change must say which state it was made against, so that two people do not undo each other's work. */
function ifMatchOf(request: Request): string {
  const given = ifMatchIn(request);
  if (given === undefined)
    throw new Failure(
      'precondition-required',
      'Send If-Match with the ETag that GET answered, or * to change whatever is there.',
    );
  return given;
}
