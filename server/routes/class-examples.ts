/** /classes/NAME/examples: labelled pictures of a class. Features are stored, never pictures. */
import { Router, type Request, type Response } from 'express';
import type { ChangeResult, Classes, KnownClass, NewExample } from '../classes/contract.js';
import { namesOf, noSuchClass } from '../classes/no-such-class.js';
import { exampleQuerySchema, noQuerySchema } from '../contract/class-schemas.js';
import { onlyMethods } from '../http/errors.js';
import { named, requestSignal } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import type { ServedModel } from '../model/contract.js';
import { changeClasses } from './change-classes.js';
import { quoted, unusableWarning } from './class-answers.js';
import { nameInPath } from './class-name-in-path.js';
import { previewOf } from './class-previews.js';
import type { RouteDependencies } from './dependencies.js';
import { contentOfForm, examplesOf, extractForm, type ExtractedForm } from './example-pictures.js';
import { answerOnce, type StoredAnswer } from './idempotency.js';
import { awaitRevision } from './registry-revision.js';

const dryRunSeconds = 120;

export function classExampleRoutes(dependencies: RouteDependencies): Router {
  const { serving, caller, admin } = dependencies;
  const router = Router();
  router
    .route('/classes/:name/examples')
    .all(named('class-examples'))
    .get(caller, (request, response) =>
      serving.use(async ({ classes }) => {
        validate(noQuerySchema, request.query, 'query');
        await awaitRevision(request, classes);
        const { name, unusableExamples } = classInPath(request, classes);
        const examples = classes.examplesOf(name).map(({ id, createdAt, createdBy, usable }) => {
          return { id, createdAt: new Date(createdAt).toISOString(), by: createdBy, usable };
        });
        response.json({
          name,
          examples,
          ...(unusableExamples !== undefined && { warnings: [unusableWarning(unusableExamples)] }),
          registryRevision: classes.revision,
        });
      }),
    )
    .post(admin, (request, response) => serving.use((model) => add(model, request, response, dependencies)))
    .delete(admin, (request, response) => serving.use((model) => remove(model, 'all', request, response)))
    .all(onlyMethods('GET', 'POST', 'DELETE'));
  router
    .route('/classes/:name/examples/:id')
    .all(named('class-example'))
    .delete(admin, (request, response) =>
      serving.use((model) => remove(model, [request.params.id], request, response)),
    )
    .all(onlyMethods('DELETE'));
  return router;
}

async function add(
  model: ServedModel,
  request: Request,
  response: Response,
  dependencies: RouteDependencies,
): Promise<void> {
  const { classes } = model;
  const { dryRun } = validate(exampleQuerySchema, request.query, 'query');
  const { name } = classInPath(request, classes); // before a byte of the pictures is read
  const form = await extractForm(model, request, response, dependencies);
  const examples = examplesOf(form, name, classes);
  const ids = examples.map(({ id }) => id);
  if (dryRun) {
    const signal = requestSignal(request, response, dryRunSeconds);
    response.json(await preview(model, form, examples, name, signal));
    return;
  }
  const change = { kind: 'add-examples', name, examples } as const;
  await answerOnce(request, response, contentOfForm(form), classes, [change], (result) =>
    addedAnswer(result, form, ids),
  );
}

/** What the class would be with them; nothing changes. */
async function preview(
  { classes, manifest }: ServedModel,
  form: ExtractedForm,
  examples: readonly NewExample[],
  name: string,
  signal: AbortSignal,
) {
  const known = classes.get(name)!;
  const there = new Set(classes.examplesOf(name).map(({ id }) => id));
  const added = [...new Set(examples.map(({ id }) => id))].filter((id) => !there.has(id));
  const { attributes } = known;
  const content = { name, attributes, ...(!known.runtime && { own: true as const }) };
  const [filled] = known.runtime ? await classes.filledIn([{ content, examples }]) : [null];
  const given = { examples, names: form.pictures.map((picture) => picture.name) };
  const previewed = await previewOf(content, given, { classes, manifest }, signal);
  return {
    name,
    examples: known.examples + added.length,
    added: added.length,
    pictures: outcomesOf(
      form,
      examples.map(({ id }) => id),
      added,
    ),
    preview: { ...previewed, ...filled },
    registryRevision: classes.revision,
  };
}

function outcomesOf({ pictures }: ExtractedForm, ids: readonly string[], added: readonly string[]) {
  const isNew = new Set(added);
  return pictures.map((picture, i) => ({
    name: picture.name,
    id: ids[i],
    outcome: isNew.delete(ids[i]) ? 'added' : 'unchanged',
  }));
}

function addedAnswer(
  { outcomes, revision }: ChangeResult,
  form: ExtractedForm,
  ids: readonly string[],
): StoredAnswer {
  const [{ known, added }] = outcomes;
  return {
    status: added.length > 0 ? 201 : 200,
    headers: { ETag: quoted(known.etag), 'Registry-Revision': String(revision) },
    body: {
      name: known.name,
      examples: known.examples,
      added: added.length,
      pictures: outcomesOf(form, ids, added),
      registryRevision: revision,
    },
  };
}

async function remove(
  { classes }: ServedModel,
  ids: readonly string[] | 'all',
  request: Request,
  response: Response,
): Promise<void> {
  validate(noQuerySchema, request.query, 'query');
  const { name } = classInPath(request, classes);
  const { revision } = await changeClasses(request, classes, [{ kind: 'remove-examples', name, ids }]);
  response.setHeader('Registry-Revision', revision);
  response.status(204).end();
}

function classInPath(request: Request, classes: Classes): KnownClass {
  const name = nameInPath(request, classes);
  const known = classes.get(name);
  if (!known) throw noSuchClass(name, namesOf(classes));
  return known;
}
