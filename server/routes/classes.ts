/** /classes: the classes that compete, and how to add one from its attributes, from pictures of it, or both. */
import { Router, type Request, type Response } from 'express';
import type { ChangeResult, Classes } from '../classes/contract.js';
import { existsAlready } from '../classes/class-refusals.js';
import { namesOf, noSuchClass } from '../classes/no-such-class.js';
import {
  createQuerySchema,
  newClassesSchema,
  newClassSchema,
  replacementSchema,
  type NewClass,
} from '../contract/class-schemas.js';
import { etagOf } from '../classes/store/content.js';
import type { ClassContent } from '../classes/store/contract.js';
import { changeClasses } from './change-classes.js';
import { onlyMethods } from '../http/errors.js';
import { parseJson, readJson, validateBody } from '../http/json.js';
import { classField } from '../http/multipart.js';
import { named, requestSignal } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import type { ServedModel } from '../model/contract.js';
import { manyAnswer, oneAnswer, pageOfClasses, quoted, shownClass } from './class-answers.js';
import { checkCandidates, refuseTooMany } from './class-candidates.js';
import { nameInPath } from './class-name-in-path.js';
import { previewClasses } from './class-previews.js';
import type { RouteDependencies } from './dependencies.js';
import { contentOfForm, examplesOf, extractForm } from './example-pictures.js';
import { answerOnce, type StoredAnswer } from './idempotency.js';
import { requiredIfMatch } from './if-match.js';
import { isForm } from './read-pictures.js';
import { awaitRevision } from './registry-revision.js';

const dryRunSeconds = 120;

export function classRoutes(dependencies: RouteDependencies): Router {
  const { serving, caller, admin } = dependencies;
  const router = Router();
  router
    .route('/classes')
    .all(named('classes'))
    .get(caller, (request, response) =>
      serving.use(async ({ classes }) => {
        await awaitRevision(request, classes);
        response.json(await pageOfClasses(request, classes));
      }),
    )
    .post(admin, (request, response) =>
      serving.use((model) => create(model, request, response, dependencies)),
    )
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/classes/:name')
    .all(named('class'))
    .get(caller, (request, response) =>
      serving.use(async ({ classes }) => {
        await awaitRevision(request, classes);
        const name = nameInPath(request, classes);
        const known = classes.get(name);
        if (!known) throw noSuchClass(name, namesOf(classes));
        response.setHeader('ETag', quoted(known.etag));
        const [filled] = await classes.filled([known.name]);
        response.json(shownClass(known, [], filled));
      }),
    )
    .put(admin, (request, response) =>
      serving.use((model) => replace(model, request, response, dependencies)),
    )
    .delete(admin, async (request, response) => {
      const ifMatch = requiredIfMatch(request);
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
  model: ServedModel,
  request: Request,
  response: Response,
  dependencies: RouteDependencies,
): Promise<void> {
  const { classes, manifest } = model;
  const { dryRun } = validate(createQuerySchema, request.query, 'query');
  const form = isForm(request)
    ? await extractForm(model, request, response, dependencies, classField)
    : undefined;
  const { value, bytes } = form
    ? { value: parseJson(form.text ?? '', classField), bytes: contentOfForm(form) }
    : await readJson(request, response, dependencies);
  refuseTooMany(value, manifest.attributes);
  const isMany = !form && typeof value === 'object' && value !== null && 'classes' in value;
  const given: NewClass[] = isMany
    ? validateBody(newClassesSchema, value).classes
    : [validateBody(newClassSchema, value)];
  const examples = form ? examplesOf(form, given[0].name, classes) : [];
  const { attributesOutOfRange: outOfRange } = dependencies.settings;
  const hasExamples = examples.length > 0;
  const candidates = checkCandidates(given, model, { isMany, hasExamples, outOfRange });
  if (dryRun) {
    const signal = requestSignal(request, response, dryRunSeconds);
    for (const [index, { content }] of candidates.entries())
      refuseOwn(content, classes, isMany ? index : null);
    const pictures = form?.pictures.map(({ name }) => name) ?? [];
    response.json(await previewClasses(candidates, { examples, names: pictures }, model, signal));
    return;
  }
  const changes = candidates.map(({ content }) => ({ kind: 'create', content, examples }) as const);
  const filled = await classes.filledIn(candidates.map(({ content }) => ({ content, examples })));
  const answer = (result: ChangeResult): StoredAnswer =>
    isMany ? manyAnswer(result, candidates, filled) : oneAnswer(result, candidates[0], filled[0]);
  await answerOnce(request, response, bytes, classes, changes, answer);
}

async function replace(
  model: ServedModel,
  request: Request,
  response: Response,
  dependencies: RouteDependencies,
): Promise<void> {
  const { classes, manifest } = model;
  const name = nameInPath(request, classes);
  const ifMatch = requiredIfMatch(request);
  const { value } = await readJson(request, response, dependencies);
  refuseTooMany(value, manifest.attributes);
  const { attributes, like } = validateBody(replacementSchema, value);
  const [{ content, warnings }] = checkCandidates([{ name, attributes, like }], model, {
    hasExamples: (classes.get(name)?.examples ?? 0) > 0,
    outOfRange: dependencies.settings.attributesOutOfRange,
  });
  const [filled] = await classes.filledIn([{ content, examples: [] }]);
  const result = await changeClasses(request, classes, [{ kind: 'replace', content, ifMatch }]);
  const { outcomes, revision } = result;
  const { known } = outcomes[0];
  response.setHeader('ETag', quoted(known.etag));
  response.setHeader('Registry-Revision', revision);
  response.json({ ...shownClass(known, warnings, filled), registryRevision: revision });
}

/** As the request would be without the dry run. A runtime class may be edited: what would be is of interest then. */
function refuseOwn({ name, attributes }: ClassContent, classes: Classes, index: number | null): void {
  const known = classes.get(name);
  if (known?.runtime === false && known.etag !== etagOf({ name, attributes }))
    throw existsAlready(known, index);
}
