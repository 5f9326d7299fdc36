/** /pools/NAME/discover and /pools/NAME/classes: classes that are missing, and one of them saved with pictures of the pool as its examples. */
import { Router, type Request, type Response } from 'express';
import { ungroupedAdvice } from '../../core/discovery/discovery.js';
import type { PooledGroup } from '../adaptation/contract.js';
import { exampleOfPool, withStoredIds } from '../classes/example.js';
import { noQuerySchema } from '../contract/class-schemas.js';
import { classOfPoolSchema, maxNamedMembers } from '../contract/discovery-schemas.js';
import { onlyMethods } from '../http/errors.js';
import { readJson, validateBody } from '../http/json.js';
import { named, requestSignal } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import type { ServedModel } from '../model/contract.js';
import { oneAnswer } from './class-answers.js';
import { checkCandidates, refuseTooMany } from './class-candidates.js';
import type { RouteDependencies } from './dependencies.js';
import { answerOnce } from './idempotency.js';
import { poolInPath } from './pool-in-path.js';

/** Thousands of pictures take seconds; a caller who has given up ends it anyway. */
const deadlineSeconds = 600;

export function poolDiscoveryRoutes(dependencies: RouteDependencies): Router {
  const { serving, admin } = dependencies;
  const router = Router();
  router
    .route('/pools/:name/discover')
    .all(named('pool-discovery'))
    .post(admin, (request, response) => serving.use((model) => discover(model, request, response)))
    .all(onlyMethods('POST'));
  router
    .route('/pools/:name/classes')
    .all(named('pool-classes'))
    .post(admin, (request, response) => serving.use((model) => save(model, request, response, dependencies)))
    .all(onlyMethods('POST'));
  return router;
}

async function discover(
  { adaptations, classes }: ServedModel,
  request: Request,
  response: Response,
): Promise<void> {
  validate(noQuerySchema, request.query, 'query');
  const pool = poolInPath(request);
  const { pictures, groups, ungrouped } = await adaptations.discover(
    pool,
    requestSignal(request, response, deadlineSeconds),
  );
  response.json({
    pool,
    pictures,
    groups: groups.map(shown),
    ungrouped: ungrouped.slice(0, maxNamedMembers),
    advice: ungroupedAdvice(ungrouped.length, pictures),
    registryRevision: classes.revision,
  });
}

async function save(
  model: ServedModel,
  request: Request,
  response: Response,
  dependencies: RouteDependencies,
): Promise<void> {
  const { adaptations, classes, manifest } = model;
  validate(noQuerySchema, request.query, 'query');
  const pool = poolInPath(request);
  const { value, bytes } = await readJson(request, response, dependencies);
  refuseTooMany(value, manifest.attributes);
  const { members, ...given } = validateBody(classOfPoolSchema, value);
  const { attributesOutOfRange: outOfRange } = dependencies.settings;
  const [candidate] = checkCandidates([given], model, { hasExamples: true, outOfRange });
  const pictures = await adaptations.picturesOf(pool, members);
  const { content } = candidate;
  const examples = withStoredIds(
    pictures.map((one) => exampleOfPool(content.name, classes.exampleBackbone, one)),
    classes.examplesOf(content.name),
  );
  const [filled] = await classes.filledIn([{ content, examples }]);
  await answerOnce(request, response, bytes, classes, [{ kind: 'create', content, examples }], (result) =>
    oneAnswer(result, candidate, filled),
  );
}

function shown({ members, attributes, ...group }: PooledGroup) {
  const rounded = (value: number): number => Math.round(1000 * value) / 1000;
  return {
    ...group,
    pictures: members.length,
    members: members.slice(0, maxNamedMembers),
    attributes: Object.fromEntries(attributes.map(({ name, value }) => [name, value])),
    certainty: Object.fromEntries(attributes.map(({ name, certainty }) => [name, rounded(certainty)])),
  };
}
