/** /adaptations: what is learnt from unlabelled pictures, and back again. */
import { Router, type Request, type Response } from 'express';
import { Failure } from '../../core/failures.js';
import { sha256Of } from '../../core/hash.js';
import type { CommittedAdaptation } from '../adaptation/contract.js';
import { adaptationDeadlineSeconds } from '../adaptation/requests-under-way.js';
import { adaptQuerySchema, newAdaptationSchema } from '../contract/adaptation-schemas.js';
import { auditAct } from '../http/audit.js';
import { onlyMethods } from '../http/errors.js';
import { readJson } from '../http/json.js';
import { contextOf, named, requestSignal } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import type { ServedModel } from '../model/contract.js';
import type { RouteDependencies } from './dependencies.js';
import { idempotencyKeyOf } from './idempotency.js';
import { awaitRevision } from './registry-revision.js';

/** So long a request with an Idempotency-Key waits; what it asked for goes on, and a repeat asks for the result. */
const usualAnswerSeconds = 60;

export function adaptationRoutes(
  dependencies: RouteDependencies,
  { answerSeconds = usualAnswerSeconds } = {},
): Router {
  const { serving, caller, admin } = dependencies;
  const router = Router();
  router
    .route('/adaptations')
    .all(named('adaptations'))
    .get(caller, (request, response) =>
      serving.use(async ({ adaptations, classes }) => {
        await awaitRevision(request, classes);
        const all = (await adaptations.list()).map(summaryOf);
        response.json({ adaptations: all, registryRevision: classes.revision });
      }),
    )
    .post(admin, (request, response) =>
      serving.use((model) => adapt(model, request, response, dependencies, answerSeconds)),
    )
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/adaptations/:id')
    .all(named('adaptation'))
    .get(caller, (request, response) =>
      serving.use(async ({ adaptations, classes }) => {
        await awaitRevision(request, classes);
        const { id } = request.params;
        const found = (await adaptations.list()).find((one) => one.id === id);
        if (!found)
          throw new Failure('not-found', `There is no adaptation ${id}. GET /adaptations lists them.`);
        response.json(answerOf(found, classes.revision));
      }),
    )
    .delete(admin, (request, response) =>
      serving.use(async ({ adaptations }) => {
        const { id } = request.params;
        const revision = await adaptations.undo(id, contextOf(request).caller?.name ?? null);
        auditAct(
          request,
          { outcome: 'changed', adaptation: id, revisionAfter: revision },
          'An adaptation was undone.',
        );
        response.setHeader('Registry-Revision', revision);
        response.status(204).end();
      }),
    )
    .all(onlyMethods('GET', 'DELETE'));
  return router;
}

async function adapt(
  { adaptations, classes }: ServedModel,
  request: Request,
  response: Response,
  dependencies: RouteDependencies,
  answerSeconds: number,
): Promise<void> {
  const { dryRun } = validate(adaptQuerySchema, request.query, 'query');
  const { pool } = validate(newAdaptationSchema, await bodyOf(request, response, dependencies), 'body');
  const signal = requestSignal(request, response, adaptationDeadlineSeconds);
  if (dryRun) {
    const report = await adaptations.preview(pool, signal);
    response.json({ ...report, dryRun: true, registryRevision: classes.revision });
    return;
  }
  const by = contextOf(request).caller?.name ?? null;
  const key = idempotencyKeyOf(request);
  const outcome =
    key === undefined
      ? { ...(await adaptations.adapt(pool, by, signal)), isRepeated: false }
      : await within(answerSeconds, () =>
          adaptations.adaptOnce(pool, by, { key, requestHash: sha256Of('POST', '/adaptations', pool) }),
        );
  const { adaptation, isNew } = outcome;
  const { id, revision, report } = adaptation;
  if (outcome.isRepeated) response.setHeader('Idempotency-Replayed', 'true');
  else
    auditAct(
      request,
      {
        outcome: isNew ? 'changed' : 'unchanged',
        ...{ adaptation: id, pool, pictures: report.pictures, movedClasses: report.movedClasses },
        revisionAfter: revision,
      },
      isNew
        ? 'Classes were adapted to unlabelled pictures.'
        : 'An adaptation found what is in force already.',
    );
  response.setHeader('Registry-Revision', classes.revision);
  if (isNew) response.setHeader('Location', `/adaptations/${id}`);
  response.status(isNew ? 201 : 200).json(answerOf(adaptation, classes.revision));
}

/** What it computes goes on after the time is over. */
function within<T>(seconds: number, compute: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `The adaptation is still being computed after ${seconds} s. Send the request again with the same Idempotency-Key to get its result.`;
      reject(new Failure('fitting-unavailable', message, { retryAfterSeconds: 5 }));
    }, 1000 * seconds);
  });
  return Promise.race([compute(), tooLong]).finally(() => {
    clearTimeout(timer);
  });
}

/** May be left out altogether. */
async function bodyOf(
  request: Request,
  response: Response,
  dependencies: RouteDependencies,
): Promise<unknown> {
  const isEmpty =
    request.headers['transfer-encoding'] === undefined && !Number(request.headers['content-length']);
  return isEmpty ? {} : (await readJson(request, response, dependencies)).value;
}

function summaryOf({ id, at, by, revision, isActive, undone, report }: CommittedAdaptation) {
  return {
    ...{ id, at: new Date(at).toISOString(), by, revision, active: isActive },
    undone: undone && { ...undone, at: new Date(undone.at).toISOString() },
    ...{ pool: report.pool, pictures: report.pictures, movedClasses: report.movedClasses },
  };
}

function answerOf(adaptation: CommittedAdaptation, registryRevision: number) {
  return { ...summaryOf(adaptation), report: adaptation.report, registryRevision };
}
