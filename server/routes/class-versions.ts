/** /classes/NAME/versions and /removed-classes: what a class was before, which ones are gone, and how to get them back. */
import { Router, type Request } from 'express';
import { Failure } from '../../core/failures.js';
import type { ClassChange, Classes } from '../classes/contract.js';
import { namesOf, noSuchClass } from '../classes/no-such-class.js';
import type { ClassVersion, VersionRange } from '../classes/store/contract.js';
import { removedQuerySchema, versionsQuerySchema } from '../contract/class-schemas.js';
import { onlyMethods } from '../http/errors.js';
import { named } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import { oneAnswer, shownRemoved, shownVersion } from './class-answers.js';
import { checkCandidates } from './class-candidates.js';
import { namesInPath } from './class-name-in-path.js';
import type { RouteDependencies } from './dependencies.js';
import { answerOnce } from './idempotency.js';
import { ifMatchIn } from './if-match.js';
import { awaitRevision } from './registry-revision.js';

export function classVersionRoutes({ serving, settings, caller, admin }: RouteDependencies): Router {
  const router = Router();
  router
    .route('/removed-classes')
    .all(named('removed-classes'))
    .get(caller, (request, response) =>
      serving.use(async ({ classes }) => {
        const { limit, after } = validate(removedQuerySchema, request.query, 'query');
        await awaitRevision(request, classes);
        const page = { limit: limit + 1, ...(after !== undefined && { after }) };
        const found = await classes.removed(page);
        const shown = found.slice(0, limit);
        const keptMilliseconds = settings.versionDays * 86_400_000;
        response.json({
          classes: shown.map((one) => shownRemoved(one, keptMilliseconds)),
          ...(found.length > limit && { next: shown.at(-1)!.name }),
        });
      }),
    )
    .all(onlyMethods('GET'));
  router
    .route('/classes/:name/versions')
    .all(named('class-versions'))
    .get(caller, (request, response) =>
      serving.use(async ({ classes }) => {
        const page = validate(versionsQuerySchema, request.query, 'query');
        await awaitRevision(request, classes);
        const { limit, before } = page;
        const { name, versions } = await versionsInPath(request, classes, {
          limit,
          ...(before !== undefined && { before }),
        });
        if (versions.length === 0 && before === undefined && !classes.get(name))
          throw noSuchClass(
            name,
            namesOf(classes),
            `None of this name was removed in the last ${settings.versionDays} days.`,
          );
        const ofModel = classes.get(name)?.runtime === false;
        const shown = versions.map((one, i) =>
          shownVersion(one, { ofModel, isNewest: i === 0 && before === undefined }),
        );
        response.json({ name, versions: shown });
      }),
    )
    .all(onlyMethods('GET'));
  router
    .route('/classes/:name/versions/:number/restore')
    .all(named('class-restore'))
    .post(admin, (request, response) =>
      serving.use(async (model) => {
        const { classes } = model;
        const number = request.params.number;
        const wanted = /^[1-9]\d{0,14}$/.test(number) ? Number(number) : 0;
        const page = { limit: 1, before: wanted + 1 };
        const { name, versions } = await versionsInPath(request, classes, page);
        const [version] = versions;
        if ((version as typeof version | undefined)?.number !== wanted)
          throw new Failure(
            'not-found',
            `There is no version ${number} of "${name}". GET /classes/${encodeURIComponent(name)}/versions lists them.`,
          );
        const ofModel = classes.get(name)?.runtime === false;
        if (version.content === null && !ofModel)
          throw new Failure(
            'conflict',
            `Version ${wanted} of "${name}" is its removal. Restore the version before it, or remove the class.`,
          );
        // The model may have changed since: what it cannot use is refused as a new class would be.
        const { attributes, own } = version.content ?? { attributes: {}, own: true }; // without pictures, for one of the model
        const examples = await classes.examplesAt(name, version.revision);
        const { attributesOutOfRange: outOfRange } = settings;
        const hasExamples = examples.length > 0;
        const [candidate] = own
          ? [{ content: { name, attributes: {} }, warnings: [] }]
          : checkCandidates([{ name, attributes }], model, { hasExamples, outOfRange });
        const warnings = [...candidate.warnings, ...groupWarnings(name, classes)];
        const change: ClassChange = own
          ? { kind: 'set-examples', name, examples }
          : { kind: 'put', content: candidate.content, ifMatch: ifMatchIn(request), examples };
        const [filled] = own ? [null] : await classes.filledIn([{ content: candidate.content, examples }]);
        await answerOnce(request, response, new Uint8Array(), classes, [change], (result) =>
          oneAnswer(result, { ...candidate, warnings }, filled),
        );
      }),
    )
    .all(onlyMethods('POST'));
  return router;
}

/** A version does not say in which groups the class was. */
function groupWarnings(name: string, classes: Classes): string[] {
  if (classes.get(name) !== undefined || classes.groups().length === 0) return [];
  return [
    `"${name}" was removed, which took it out of the groups that it was in: add it to them again where it belongs there`,
  ];
}

async function versionsInPath(
  request: Request,
  classes: Classes,
  page: VersionRange,
): Promise<{ readonly name: string; readonly versions: readonly ClassVersion[] }> {
  const names = namesInPath(request, classes);
  for (const name of names) {
    const versions = await classes.versions(name, page);
    if (versions.length > 0) return { name, versions };
  }
  return { name: names.at(-1)!, versions: [] };
}
