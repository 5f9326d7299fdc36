/** POST /classify: a picture, or several, in; classes with probabilities out. */
import { Router, type Request, type Response } from 'express';
import { Failure } from '../../core/failures.js';
import type { ClassifyOptions } from '../../core/head/classifier.js';
import { classifyQuerySchema } from '../contract/schemas.js';
import { readWhole, receiveBody } from '../http/body.js';
import { onlyMethods } from '../http/errors.js';
import { readMultipart, type UploadedPicture } from '../http/multipart.js';
import { problemOf } from '../http/problem.js';
import { contextOf, named, noteUpload, requestSignal } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import type { Answer, ServedModel } from '../inference/contract.js';
import type { RouteDependencies } from './dependencies.js';
import { atLeastRevision } from './registry-revision.js';

const pictureTypes = ['image/jpeg', 'image/png', 'image/webp'];

export function classifyRoute(dependencies: RouteDependencies): Router {
  const { inference, caller } = dependencies;
  const router = Router();
  router
    .route('/classify')
    .all(named('classify'))
    .post(caller, atLeastRevision(dependencies.classes), async (request, response) => {
      inference.admit(); // before a byte of the body is read
      const options = classifyOptions(request, inference.model);
      const signal = requestSignal(request, response, dependencies.settings.deadlineSeconds);
      const { pictures, several } = await readPictures(request, response, dependencies);
      if (several) response.json(await classifyMany(pictures, options, signal, request, dependencies));
      else {
        const { bytes, name } = pictures[0];
        const { onStage } = contextOf(request);
        const answer = await inference.classifyPicture(bytes, name, options, signal, onStage);
        response.json({ ...shown(answer), ...footer(answer, inference.model, request) });
      }
    })
    .all(onlyMethods('POST'));
  return router;
}

export function classifyOptions(request: Request, { manifest }: ServedModel): ClassifyOptions {
  const { topK, explain, unseenBias } = validate(classifyQuerySchema, request.query, 'query');
  if (unseenBias !== undefined) {
    const [least, most] = manifest.head.unseenBiasRange;
    if (unseenBias < least || unseenBias > most)
      throw new Failure(
        'request-invalid',
        `unseenBias must lie between ${least} and ${most} for this model; ${manifest.head.unseenBias} is its own.`,
        { fields: [{ pointer: '/unseenBias', detail: `from ${least} to ${most}` }] },
      );
  }
  return { topK, explain, ...(unseenBias !== undefined && { unseenBias }) };
}

async function readPictures(
  request: Request,
  response: Response,
  { settings, uploads, metrics }: RouteDependencies,
): Promise<{ pictures: UploadedPicture[]; several: boolean }> {
  const limits = { bytes: Math.round(settings.bodyMegabytes * 1e6), seconds: settings.bodySeconds };
  const isForm = request.is('multipart/form-data') !== false;
  if (!isForm && request.is(pictureTypes) === false)
    throw new Failure(
      'image-type-refused',
      `Send the picture as the body with Content-Type ${pictureTypes.join(', ')}, or as multipart/form-data in the field "image".`,
    );
  const started = performance.now();
  const pictures = await receiveBody(request, response, limits, uploads, async (body) => {
    if (isForm) return readMultipart(body, { bytes: limits.bytes, pictures: settings.picturesPerRequest });
    return [{ name: 'The picture', bytes: await readWhole(body, limits.bytes) }];
  });
  noteUpload(request, metrics, started);
  return { pictures, several: pictures.length > 1 };
}

/** One bad picture does not spoil the others; what ends the whole request (deadline, client gone, no worker) does. */
async function classifyMany(
  pictures: readonly UploadedPicture[],
  options: ClassifyOptions,
  signal: AbortSignal,
  request: Request,
  { inference }: RouteDependencies,
) {
  const { model } = inference;
  const { onStage } = contextOf(request);
  const outcomes = await Promise.all(
    pictures.map(async ({ name, bytes }) => {
      try {
        return { name, answer: await inference.classifyPicture(bytes, name, options, signal, onStage) };
      } catch (error) {
        if (error instanceof Failure && error.code.startsWith('image-'))
          return { name, problem: problemOf(error) };
        throw error;
      }
    }),
  );
  const answers = outcomes.flatMap(({ answer }) => answer ?? []);
  const last = answers.reduce<Answer | undefined>(
    (newest, answer) => (newest && newest.revision >= answer.revision ? newest : answer),
    undefined,
  );
  return {
    pictures: outcomes.map(({ name, answer, problem }) => ({
      name,
      ...(answer ? shown(answer) : { problem }),
    })),
    ...footer(last, model, request),
  };
}

function shown({ predictions, explanation }: Answer) {
  return { predictions, ...(explanation && { explanation }) };
}

function footer(answer: Answer | undefined, model: ServedModel, request: Request) {
  return {
    model: { version: answer?.version ?? model.version, name: model.manifest.dataset.name },
    registryRevision: answer?.revision ?? 0,
    requestId: contextOf(request).id,
  };
}
