/** /adaptations: what is learnt from unlabelled pictures, and back again. */
import { Router, type Request, type Response } from 'express';
import { Failure } from '../../core/failures.js';
import { sha256Of } from '../../core/hash.js';
import type { AdaptationOutcome, CommittedAdaptation } from '../adaptation/contract.js';
import { adaptationDeadlineSeconds } from '../adaptation/requests-under-way.js';
import { adaptQuerySchema, newAdaptationSchema } from '../contract/adaptation-schemas.js';
import { auditAct, auditedRevisions, auditWhenDone } from '../http/audit.js';
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
        const { revision, isUndone } = await adaptations.undo(id, contextOf(request).caller?.name ?? null);
        auditAct(
          request,
          { ...auditedRevisions(isUndone, revision), adaptation: id },
          isUndone ? 'An adaptation was undone.' : 'The adaptation was undone already.',
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
  const audit = (outcome: AdaptationOutcome): void => {
    auditAdaptation(request, outcome, classes.revision);
  };
  const onWork = (work: Promise<AdaptationOutcome>, isRepeated: boolean): void => {
    if (isRepeated) auditAct(request, { outcome: 'unchanged', pool }, 'The same adaptation is under way.');
    else auditWhenDone(request, work, audit);
  };
  const outcome =
    key === undefined
      ? { ...(await adaptations.adapt(pool, by, signal)), isRepeated: false }
      : await within(answerSeconds, () =>
          adaptations.adaptOnce(
            pool,
            by,
            { key, requestHash: sha256Of('POST', '/adaptations', pool) },
            onWork,
          ),
        );
  if (key === undefined) audit(outcome);
  const { adaptation, isNew, isRepeated } = outcome;
  if (isRepeated) response.setHeader('Idempotency-Replayed', 'true');
  response.setHeader('Registry-Revision', classes.revision);
  if (isNew) response.setHeader('Location', `/adaptations/${adaptation.id}`);
  response.status(isNew ? 201 : 200).json(answerOf(adaptation, classes.revision));
}

function auditAdaptation(
  request: Request,
  { adaptation: { id, revision, report }, isNew }: AdaptationOutcome,
  registryRevision: number,
): void {
  auditAct(
    request,
    {
      ...auditedRevisions(isNew, isNew ? revision : registryRevision),
      ...{ adaptation: id, pool: report.pool, pictures: report.pictures, movedClasses: report.movedClasses },
    },
    isNew ? 'Classes were adapted to unlabelled pictures.' : 'An adaptation found what is in force already.',
  );
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
