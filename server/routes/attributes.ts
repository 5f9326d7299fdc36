/** GET /attributes: what an attribute vector must look like. */
import { Router } from 'express';
import { unseenBiasFor } from '../../core/head/unseen-bias.js';
import { onlyMethods } from '../http/errors.js';
import { named } from '../http/request-context.js';
import type { RouteDependencies } from './dependencies.js';

export function attributesRoute({ serving, caller }: RouteDependencies): Router {
  const router = Router();
  router
    .route('/attributes')
    .all(named('attributes'))
    .get(caller, (_request, response) => {
      const { manifest, version, classes } = serving.current;
      const competing = classes.list().filter(({ seen, unusable }) => !seen && unusable === undefined);
      const unseen = new Set(competing.map(({ name }) => name)).size;
      const [minimum, maximum] = manifest.head.unseenBiasRange;
      response.json({
        attributes: manifest.attributes,
        unseenBias: { default: unseenBiasFor(manifest.head, unseen), minimum, maximum },
        model: { version, name: manifest.dataset.name },
      });
    })
    .all(onlyMethods('GET'));
  return router;
}
