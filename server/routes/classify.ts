/** POST /classify: a picture, or several, in; classes with probabilities out. */
import { Router } from 'express';
import { Failure } from '../../core/failures.js';
import { classifyQuerySchema } from '../contract/schemas.js';
import { callerOf } from '../http/caller.js';
import { onlyMethods } from '../http/errors.js';
import { problemDetailsOf } from '../http/problem-details.js';
import { contextOf, named, requestSignal } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import type { ClassificationAtRevision, Inference, PictureRequest } from '../inference/contract.js';
import { runAll } from '../inference/run-all.js';
import type { ServedModel } from '../model/contract.js';
import type { RouteDependencies } from './dependencies.js';
import { readUpload, type Admitted } from './read-pictures.js';
import { awaitRevision } from './registry-revision.js';
import { restrictionOptions } from '../inference/may-answer.js';
import { checkUnseenBias } from '../inference/unseen-bias.js';

export function classifyRoute(dependencies: RouteDependencies): Router {
  const { serving, caller, uploads } = dependencies;
  const router = Router();
  router
    .route('/classify')
    .all(named('classify'))
    .post(caller, async (request, response) => {
      const answer = await serving.use(async (model) => {
        await awaitRevision(request, model.classes);
        // A place in the queue is acquired before a byte of the body is read.
        const who = callerOf(request);
        return model.inference.admit(who, (permit) =>
          uploads.hold(who, (upload) => classify(model, { request, response, permit, upload }, dependencies)),
        );
      });
      response.json(answer);
    })
    .all(onlyMethods('POST'));
  return router;
}

const fieldNames = { classes: 'classes', groups: 'group', scoresOf: 'scoresOf', groupBy: 'groupBy' };

async function classify(model: ServedModel, admitted: Admitted, dependencies: RouteDependencies) {
  const { inference, classes, manifest } = model;
  const { request, response, permit } = admitted;
  const query = validate(classifyQuerySchema, request.query, 'query');
  const { topK, explain, unseenBias, unknownAt, group: groups, ...restriction } = query;
  checkUnseenBias(unseenBias, manifest, { name: 'unseenBias', pointer: '/unseenBias' });
  const options = {
    ...{ topK, explain, ...(unseenBias !== undefined && { unseenBias }) },
    unknownAt: unknownAt ?? dependencies.settings.unknownAt,
    ...restrictionOptions({ ...restriction, groups }, classes, fieldNames),
  };
  const signal = requestSignal(request, response, dependencies.settings.deadlineSeconds);
  const { pictures } = await readUpload(admitted, dependencies);
  permit.extendTo(pictures.length);
  const { onStage } = contextOf(request);
  const requests = pictures.map((picture) => ({ ...picture, options, signal, onStage }));
  const footer = (revision: number) => ({
    model: { version: model.version, name: manifest.dataset.name },
    registryRevision: revision,
    requestId: contextOf(request).id,
  });
  if (requests.length === 1) {
    const answer = await inference.classifyPicture(requests[0]);
    return { ...shown(answer), ...footer(answer.revision) };
  }
  const outcomes = await runAll(requests, signal, (picture, either) =>
    outcomeOf({ ...picture, signal: either }, inference),
  );
  const revisions = outcomes.flatMap(({ revision }) => revision ?? []);
  return {
    pictures: outcomes.map(({ outcome }) => outcome),
    // A class may be added between two pictures of a form: the newest counts.
    ...footer(revisions.length > 0 ? Math.max(...revisions) : classes.revision),
  };
}

/** One bad picture does not spoil the others; what ends the whole request (deadline, client gone, no worker) does. */
async function outcomeOf(picture: PictureRequest, inference: Inference) {
  const { name } = picture;
  try {
    const answer = await inference.classifyPicture(picture);
    return { outcome: { name, ...shown(answer) }, revision: answer.revision };
  } catch (error) {
    if (error instanceof Failure && error.code.startsWith('image-'))
      return { outcome: { name, problem: problemDetailsOf(error) } };
    throw error;
  }
}

function shown({
  predictions,
  verdict,
  novelty,
  calibrated,
  scores,
  rollUp,
  explanation,
}: ClassificationAtRevision) {
  return {
    ...{ predictions, verdict, novelty, calibrated },
    ...(scores && { scores }),
    ...(rollUp && { rollUp }),
    ...(explanation && { explanation }),
  };
}
