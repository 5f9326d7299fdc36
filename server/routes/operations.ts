/** What orchestrators and operators ask: is it alive, is it ready, what does it measure; and the reload of the bundle. */
import { Router } from 'express';
import { auditReload } from '../http/audit.js';
import { onlyMethods } from '../http/errors.js';
import { named } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import { reloadQuerySchema } from '../contract/class-schemas.js';
import type { RouteDependencies } from './dependencies.js';

export function stateRoutes({ state, serving, settings }: RouteDependencies): Router {
  const router = Router();
  const answer = (reasons: readonly string[]) => ({
    status: reasons.length === 0 ? 'ok' : 'unavailable',
    reasons,
  });
  const facts = () => {
    const { inference, classes } = serving.current;
    const { provider, workers, workersReady, queued } = inference.state;
    const queueLimit = settings.queue;
    return { provider, workers, workersReady, queued, queueLimit, registryRevision: classes.revision };
  };
  router
    .route('/healthz')
    .all(named('healthz'))
    .get((_request, response) => {
      const reasons = state.alive();
      response.status(reasons.length === 0 ? 200 : 503).json(answer(reasons));
    })
    .all(onlyMethods('GET'));
  router
    .route('/readyz')
    .all(named('readyz'))
    .get(async (_request, response) => {
      const reasons = await state.ready();
      const degraded = state.degraded();
      if (reasons.length > 0)
        response.status(503).json({ ...answer([...reasons, ...degraded]), serving: facts() });
      else {
        const status = degraded.length === 0 ? 'ok' : 'degraded';
        response.json({ status, reasons: degraded, serving: facts() });
      }
    })
    .all(onlyMethods('GET'));
  return router;
}

export function metricsRoute({ metrics }: Pick<RouteDependencies, 'metrics'>): Router {
  const router = Router();
  router
    .route('/metrics')
    .all(named('metrics'))
    .get(async (_request, response) => {
      response.setHeader('Content-Type', metrics.register.contentType);
      response.end(await metrics.register.metrics());
    })
    .all(onlyMethods('GET'));
  return router;
}

export function reloadRoute({ admin, serving, reload, previewReload }: RouteDependencies): Router {
  const router = Router();
  router
    .route('/admin/reload')
    .all(named('reload'))
    .post(admin, async (request, response) => {
      const { dryRun } = validate(reloadQuerySchema, request.query, 'query');
      if (dryRun) {
        response.json(await previewReload());
        return;
      }
      const before = serving.current.version;
      const reloaded = await reload();
      auditReload(request, { before, after: reloaded.version, changed: reloaded.changed });
      response.json(reloaded);
    })
    .all(onlyMethods('POST'));
  return router;
}
