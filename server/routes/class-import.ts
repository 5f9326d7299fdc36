/** POST /admin/import: classes from a backup, all of them or none, and what would not fit before anything is stored. */
import { Router } from 'express';
import { Failure } from '../../core/failures.js';
import { backupSchema, importQuerySchema } from '../contract/class-schemas.js';
import { onlyMethods } from '../http/errors.js';
import { readJson, validateBody } from '../http/json.js';
import { named } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import { refuseTooMany } from './class-candidates.js';
import type { RouteDependencies } from './dependencies.js';
import { answerOnce, type StoredAnswer } from './idempotency.js';
import { planImport, type ImportPlan } from './import-plan.js';

export function importRoute(dependencies: RouteDependencies): Router {
  const { serving, settings, admin } = dependencies;
  const router = Router();
  router
    .route('/admin/import')
    .all(named('import'))
    .post(admin, (request, response) =>
      serving.use(async (model) => {
        const { dryRun, replace, leaveOut } = validate(importQuerySchema, request.query, 'query');
        const { value, bytes } = await readJson(request, response, dependencies);
        refuseTooMany(value, model.manifest.attributes);
        const backup = validateBody(backupSchema, value);
        const { changes, ...report } = planImport(backup, model, {
          replace,
          leaveOut,
          outOfRange: settings.attributesOutOfRange,
        });
        const answer = (registryRevision: number): StoredAnswer => ({
          status: 200,
          headers: { 'Registry-Revision': String(registryRevision) },
          body: { dryRun, ...report, registryRevision },
        });
        if (dryRun) {
          response.json(answer(model.classes.revision).body);
          return;
        }
        refuseProblems(report.problems);
        await answerOnce(request, response, bytes, model.classes, changes, ({ revision }) =>
          answer(revision),
        );
      }),
    )
    .all(onlyMethods('POST'));
  return router;
}

function refuseProblems(problems: ImportPlan['problems']): void {
  if (problems.length === 0) return;
  const list = problems.slice(0, 5).map(({ name, detail }) => `"${name}": ${detail}`);
  const more = problems.length > 5 ? ` (and ${problems.length - 5} more)` : '';
  throw new Failure(
    'attributes-invalid',
    `Nothing was imported, because some of it does not fit: ${list.join('; ')}${more}. A dry run lists everything.`,
    { fields: problems.slice(0, 100).map(({ pointer, detail }) => ({ pointer, detail })) },
  );
}
