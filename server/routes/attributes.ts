/** GET /attributes: what an attribute vector must look like. */
import { Router } from 'express';
import { onlyMethods } from '../http/errors.js';
import { named } from '../http/request-context.js';
import type { RouteDependencies } from './dependencies.js';

export function attributesRoute({ serving, caller }: RouteDependencies): Router {
  const router = Router();
  router
    .route('/attributes')
    .all(named('attributes'))
    .get(caller, (_request, response) => {
      const { manifest, version } = serving.current;
      const [minimum, maximum] = manifest.head.unseenBiasRange;
      response.json({
        attributes: manifest.attributes,
        unseenBias: { default: manifest.head.unseenBias, minimum, maximum },
        model: { version, name: manifest.dataset.name },
      });
    })
    .all(onlyMethods('GET'));
  return router;
}
