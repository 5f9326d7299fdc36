/** /pools: unlabelled pictures. Features are stored, never pictures. */
import { Router, type Request, type Response } from 'express';
import { Failure } from '../../core/failures.js';
import type { KnownPool } from '../adaptation/contract.js';
import { poolPicture } from '../adaptation/pool-row.js';
import { trafficPoolName } from '../contract/adaptation-schemas.js';
import { auditAct } from '../http/audit.js';
import { onlyMethods } from '../http/errors.js';
import { named } from '../http/request-context.js';
import type { ServedModel } from '../model/contract.js';
import type { RouteDependencies } from './dependencies.js';
import { extractForm } from './example-pictures.js';
import { poolInPath } from './pool-in-path.js';

export function poolRoutes(dependencies: RouteDependencies): Router {
  const { serving, settings, caller, admin } = dependencies;
  const router = Router();
  router
    .route('/pools')
    .all(named('pools'))
    .get(caller, (_request, response) =>
      serving.use(async ({ adaptations }) => {
        const pools = await adaptations.pools();
        const { learnFromTraffic, poolDays } = settings;
        response.json({ pools: pools.map(shown), learnFromTraffic, poolDays });
      }),
    )
    .all(onlyMethods('GET'));
  router
    .route('/pools/:name')
    .all(named('pool'))
    .get(caller, (request, response) =>
      serving.use(async ({ adaptations }) => {
        const name = poolInPath(request);
        const known = (await adaptations.pools()).find((one) => one.name === name);
        if (!known) throw noPool(name);
        const answered = await adaptations.answered(name);
        response.json({
          ...shown(known),
          answered: answered.map(({ answered: answer, rows }) => ({ class: answer, pictures: rows })),
        });
      }),
    )
    .post(admin, (request, response) => serving.use((model) => add(model, request, response, dependencies)))
    .delete(admin, async (request, response) => {
      const name = poolInPath(request);
      const pictures = await serving.use(({ adaptations }) => adaptations.removePool(name));
      if (pictures === null) throw noPool(name);
      auditAct(request, { outcome: 'changed', pool: name, pictures }, 'A pool of pictures was forgotten.');
      response.status(204).end();
    })
    .all(onlyMethods('GET', 'POST', 'DELETE'));
  return router;
}

async function add(
  model: ServedModel,
  request: Request,
  response: Response,
  dependencies: RouteDependencies,
): Promise<void> {
  const name = poolInPath(request); // before a byte of the pictures is read
  if (name === trafficPoolName)
    throw new Failure(
      'conflict',
      `"${trafficPoolName}" is the sample of classified pictures. Choose another name for a pool of your own.`,
    );
  const { pictures, features, answers } = await extractForm(model, request, response, dependencies);
  const rows = features.map((row, i) => poolPicture(row, answers[i].class));
  const count = await model.adaptations.addPictures(name, rows);
  auditAct(
    request,
    { outcome: 'changed', pool: name, pictures: rows.length },
    'Pictures were added to a pool.',
  );
  response.json({
    name,
    pictures: count,
    added: pictures.map((picture, i) => ({
      name: picture.name,
      id: rows[i].id,
      class: answers[i].class,
      probability: answers[i].probability,
    })),
  });
}

function noPool(name: string): Failure {
  return new Failure('not-found', `There is no pool "${name}". GET /pools lists them.`);
}

function shown({ name, pictures, unusable, oldest, newest }: KnownPool) {
  return { name, pictures, unusable, oldest: isoOf(oldest), newest: isoOf(newest) };
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
