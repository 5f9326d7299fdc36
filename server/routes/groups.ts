/** /groups: named lists of classes, by which a request says which classes may answer. */
import { Router, type Request, type Response } from 'express';
import { normalisedName } from '../../core/class-name.js';
import { Failure } from '../../core/failures.js';
import { didYouMean } from '../../core/similar-names.js';
import type { Classes, KnownGroup } from '../classes/contract.js';
import { nameSchema } from '../contract/fields.js';
import { groupContentSchema, groupListQuerySchema } from '../contract/group-schemas.js';
import { onlyMethods } from '../http/errors.js';
import { readJson, validateBody } from '../http/json.js';
import { named } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import type { ServedModel } from '../model/contract.js';
import { changeClasses } from './change-classes.js';
import { quoted } from './class-answers.js';
import { decodedDots } from './class-name-in-path.js';
import type { RouteDependencies } from './dependencies.js';
import { answerOnce } from './idempotency.js';
import { ifMatchIn, requiredIfMatch } from './if-match.js';
import { awaitRevision } from './registry-revision.js';

export function groupRoutes(dependencies: RouteDependencies): Router {
  const { serving, caller, admin } = dependencies;
  const router = Router();
  router
    .route('/groups')
    .all(named('groups'))
    .get(caller, (request, response) =>
      serving.use(async ({ classes }) => {
        await awaitRevision(request, classes);
        response.json(pageOfGroups(request, classes));
      }),
    )
    .all(onlyMethods('GET'));
  router
    .route('/groups/:name')
    .all(named('group'))
    .get(caller, (request, response) =>
      serving.use(async ({ classes }) => {
        await awaitRevision(request, classes);
        const group = requiredGroup(groupInPath(request, classes), classes);
        response.setHeader('ETag', quoted(group.etag));
        response.json(shownGroup(group, classes));
      }),
    )
    .put(admin, (request, response) => serving.use((model) => put(model, request, response, dependencies)))
    .delete(admin, async (request, response) => {
      const ifMatch = requiredIfMatch(request);
      const { revision } = await serving.use(({ classes }) =>
        changeClasses(request, classes, [
          { kind: 'remove-group', name: groupInPath(request, classes), ifMatch },
        ]),
      );
      response.setHeader('Registry-Revision', revision);
      response.status(204).end();
    })
    .all(onlyMethods('GET', 'PUT', 'DELETE'));
  return router;
}

/** The group of that name; one that is not there is refused with those that look like it. */
function requiredGroup(name: string, classes: Classes): KnownGroup {
  const group = classes.group(name);
  if (group) return group;
  const names = classes.groups().map((one) => one.name);
  throw new Failure(
    'not-found',
    `There is no group "${name}".${didYouMean(name, names)} GET /groups lists them.`,
  );
}

async function put(
  { classes }: ServedModel,
  request: Request,
  response: Response,
  dependencies: RouteDependencies,
): Promise<void> {
  const name = validate(nameSchema, groupInPath(request, classes), 'name of the group');
  const ifMatch = ifMatchIn(request);
  const { value, bytes } = await readJson(request, response, dependencies);
  const { classes: members, family } = validateBody(groupContentSchema, value);
  const content = { name, family, classes: members };
  await answerOnce(
    request,
    response,
    bytes,
    classes,
    [{ kind: 'put-group', content, ifMatch }],
    ({ groups, revision }) => {
      const { kind, group } = groups.find((outcome) => outcome.group.name === name)!;
      return {
        status: kind === 'created' ? 201 : 200,
        headers: {
          ETag: quoted(group.etag),
          Location: `/groups/${encodeURIComponent(name)}`,
          'Registry-Revision': String(revision),
        },
        body: { ...shownGroup(group, classes), registryRevision: revision },
      };
    },
  );
}

function pageOfGroups(request: Request, classes: Classes) {
  const query = validate(groupListQuerySchema, request.query, 'query');
  const { limit, after, classes: withClasses } = query;
  const family = query.family === undefined ? undefined : normalisedName(query.family.trim());
  const wanted = classes.groups().filter((group) => family === undefined || group.family === family);
  const behind = after === undefined ? wanted : wanted.filter(({ name }) => name > after);
  const shown = behind.slice(0, limit);
  return {
    groups: shown.map((group) => ({
      ...shownGroup(group, classes),
      ...(!withClasses && { classes: undefined }),
    })),
    total: wanted.length,
    ...(behind.length > limit && { next: shown.at(-1)!.name }),
    registryRevision: classes.revision,
  };
}

function shownGroup(group: KnownGroup, classes: Classes) {
  const { createdAt, updatedAt, classes: members, ...rest } = group;
  const missing = members.filter((name) => classes.get(name)?.unusable !== undefined || !classes.get(name));
  return {
    ...rest,
    size: members.length,
    classes: members,
    ...(missing.length > 0 && { missing }),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

/** The group that a path names: as it is stored, where there is one, however its letters are written in the path. */
function groupInPath(request: Request, classes: Classes): string {
  const given = String(request.params.name);
  return classes.group(given)?.name ?? decodedDots(given) ?? normalisedName(given);
}
