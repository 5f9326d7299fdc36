/** GET /admin/examples: the stored features of a class's examples, for a backup. */
import { Router } from 'express';
import { Failure } from '../../core/failures.js';
import type { ListedExample } from '../classes/contract.js';
import { namesOf, noSuchClass } from '../classes/no-such-class.js';
import { storedExamplesQuerySchema } from '../contract/class-schemas.js';
import { onlyMethods } from '../http/errors.js';
import { named } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import type { RouteDependencies } from './dependencies.js';

export function storedExamplesRoute({ serving, admin }: RouteDependencies): Router {
  const router = Router();
  router
    .route('/admin/examples')
    .all(named('stored-examples'))
    .get(admin, (request, response) => {
      const { class: name, limit, after } = validate(storedExamplesQuerySchema, request.query, 'query');
      const { classes } = serving.current;
      const known = classes.get(name);
      if (!known) throw noSuchClass(name, namesOf(classes));
      const all = classes.examplesOf(known.name);
      const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      if (after !== undefined && start === 0)
        throw new Failure('conflict', `Example ${after} of "${name}" was removed meanwhile. Start over.`);
      const shown = all.slice(start, start + limit);
      response.json({
        name: known.name,
        examples: shown.map(storedExample),
        ...(start + limit < all.length && { next: shown.at(-1)!.id }),
        registryRevision: classes.revision,
      });
    })
    .all(onlyMethods('GET'));
  return router;
}

function storedExample({ id, backbone, features, createdAt, createdBy }: ListedExample) {
  const bytes = Buffer.alloc(2 * features.length);
  features.forEach((half, i) => bytes.writeUInt16LE(half, 2 * i));
  return {
    id,
    backbone,
    features: bytes.toString('base64'),
    createdAt: new Date(createdAt).toISOString(),
    by: createdBy,
  };
}
