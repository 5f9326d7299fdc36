/** What orchestrators and operators ask: is it alive, is it ready, what does it measure; and the reload of the bundle. */
import { Router } from 'express';
import { onlyMethods } from '../http/errors.js';
import { named } from '../http/request-context.js';
import type { RouteDependencies } from './dependencies.js';

export function stateRoutes({ state, inference, classes, settings }: RouteDependencies): Router {
  const router = Router();
  const answer = (reasons: readonly string[]) => ({
    status: reasons.length === 0 ? 'ok' : 'unavailable',
    reasons,
  });
  const serving = () => ({
    provider: inference.model.provider,
    workers: inference.state.workers,
    workersReady: inference.state.workersReady,
    queued: inference.state.queued,
    queueLimit: settings.queue,
    registryRevision: classes.revision,
  });
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
        response.status(503).json({ ...answer([...reasons, ...degraded]), serving: serving() });
      else {
        const status = degraded.length === 0 ? 'ok' : 'degraded';
        response.json({ status, reasons: degraded, serving: serving() });
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

export function reloadRoute({ admin, reload }: RouteDependencies): Router {
  const router = Router();
  router
    .route('/admin/reload')
    .all(named('reload'))
    .post(admin, async (_request, response) => {
      response.json(await reload());
    })
    .all(onlyMethods('POST'));
  return router;
}
