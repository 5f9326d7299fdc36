/** /v2: the Open Inference Protocol (KServe), mapped onto the same inference path as POST /classify. */
import { Router, type Request, type Response } from 'express';
import { Failure } from '../../core/failures.js';
import { programVersion } from '../contract/version.js';
import { readWhole, receiveBody } from '../http/body.js';
import { noSuchRoute, onlyMethods } from '../http/errors.js';
import { contextOf, named, noteUpload, requestSignal } from '../http/request-context.js';
import type { ServedModel } from '../inference/contract.js';
import { encodeResponse, versionOf, type EncodedResponse } from '../open-inference/answer.js';
import { answerProtocolError } from '../open-inference/errors.js';
import { infer } from '../open-inference/infer.js';
import { readInferRequest } from '../open-inference/read-request.js';
import { extensions, modelName, type ModelMetadata } from '../open-inference/schemas.js';
import type { RouteDependencies } from './dependencies.js';
import { atLeastRevision } from './registry-revision.js';

const mostRows = 1024;
const headerLengthName = 'Inference-Header-Content-Length';

export function openInferenceRoutes(dependencies: RouteDependencies): Router {
  const { inference, caller } = dependencies;
  const router = Router();
  router
    .route('/v2')
    .all(named('v2'))
    .get(caller, (_request, response) => {
      response.json({ name: modelName, version: programVersion, extensions });
    })
    .all(onlyMethods('GET'));
  router
    .route('/v2/models/:name{/versions/:version}')
    .all(named('v2-model'))
    .get(caller, (request, response) => {
      requireModel(request, inference.model);
      response.json(describeModel(inference.model));
    })
    .all(onlyMethods('GET'));
  router
    .route('/v2/models/:name{/versions/:version}/infer')
    .all(named('v2-infer'))
    .post(caller, atLeastRevision(dependencies.classes), async (request, response) => {
      requireModel(request, inference.model);
      inference.admit(); // before a byte of the body is read
      await answerInfer(request, response, dependencies);
    })
    .all(onlyMethods('POST'));
  router.use('/v2', noSuchRoute, answerProtocolError);
  return router;
}

/** What orchestrators ask; apart from the rest, so that it can stand in front of a rate limit. */
export function openInferenceStateRoutes({ inference, state }: RouteDependencies): Router {
  const router = Router();
  router
    .route('/v2/health/live')
    .all(named('v2-live'))
    .get((_request, response) => {
      const live = state.alive().length === 0;
      response.status(live ? 200 : 503).json({ live });
    })
    .all(onlyMethods('GET'));
  router
    .route('/v2/health/ready')
    .all(named('v2-ready'))
    .get(async (_request, response) => {
      const ready = (await state.ready()).length === 0;
      response.status(ready ? 200 : 503).json({ ready });
    })
    .all(onlyMethods('GET'));
  router
    .route('/v2/models/:name{/versions/:version}/ready')
    .all(named('v2-ready'))
    .get(async (request, response) => {
      requireModel(request, inference.model);
      const ready = (await state.ready()).length === 0;
      response.status(ready ? 200 : 503).json({ name: modelName, ready });
    })
    .all(onlyMethods('GET'));
  router.use('/v2', answerProtocolError);
  return router;
}

async function answerInfer(
  request: Request,
  response: Response,
  { inference, settings, uploads, metrics }: RouteDependencies,
): Promise<void> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Failure('image-type-refused', 'Compressed bodies are not accepted; send it as it is.');
  const signal = requestSignal(request, response, settings.deadlineSeconds);
  const limits = { bytes: Math.round(settings.bodyMegabytes * 1e6), seconds: settings.bodySeconds };
  const started = performance.now();
  const body = await receiveBody(request, response, limits, uploads, (stream) =>
    readWhole(stream, limits.bytes),
  );
  noteUpload(request, metrics, started);
  const read = readInferRequest(body, request.header(headerLengthName), {
    pictures: settings.picturesPerRequest,
    rows: mostRows,
    width: inference.model.manifest.featureMap.width,
  });
  send(
    response,
    encodeResponse(read.request, await infer(inference, read, signal, contextOf(request).onStage)),
  );
}

function send(response: Response, { json, bytes }: EncodedResponse): void {
  if (bytes === null) {
    response.json(json);
    return;
  }
  const header = Buffer.from(JSON.stringify(json));
  response.setHeader(headerLengthName, header.length);
  response.type('application/octet-stream').send(Buffer.concat([header, bytes]));
}

function requireModel({ params }: Request, model: ServedModel): void {
  const { name, version } = params as { name: string; version?: string };
  const served = versionOf(model);
  if (name !== modelName || (version !== undefined && version !== served))
    throw new Failure(
      'not-found',
      `There is no such model or version here: it is "${modelName}", version ${served}.`,
    );
}

function describeModel(model: ServedModel): ModelMetadata {
  return {
    name: modelName,
    versions: [versionOf(model)],
    platform: 'onnxruntime_onnx',
    inputs: [
      { name: 'image', datatype: 'BYTES', shape: [-1] },
      { name: 'features', datatype: 'FP32', shape: [-1, model.manifest.featureMap.width] },
    ],
    outputs: [
      { name: 'class', datatype: 'BYTES', shape: [-1, -1] },
      { name: 'probability', datatype: 'FP32', shape: [-1, -1] },
      { name: 'seen', datatype: 'BOOL', shape: [-1, -1] },
    ],
  };
}
