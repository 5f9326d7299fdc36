/** /v2: the Open Inference Protocol (KServe), mapped onto the same inference path as POST /classify. */
import { Router, type Request, type Response } from 'express';
import { Failure } from '../../core/failures.js';
import { programVersion } from '../contract/version.js';
import { readWhole, receiveBody } from '../http/body.js';
import { callerOf } from '../http/caller.js';
import { noSuchRoute, onlyMethods } from '../http/errors.js';
import { contextOf, named, noteUpload, requestSignal } from '../http/request-context.js';
import type { ServedModel } from '../model/contract.js';
import { encodeResponse, versionOf, type EncodedResponse } from '../open-inference/answer.js';
import { answerProtocolError } from '../open-inference/errors.js';
import { infer } from '../open-inference/infer.js';
import { placesOfCaller } from '../inference/admission.js';
import { rowsPerPlace } from '../inference/contract.js';
import { inferBodyLimits } from '../open-inference/body-limit.js';
import { readInferRequest, type InferContent } from '../open-inference/read-request.js';
import { extensions, modelName, type ModelMetadata } from '../open-inference/schemas.js';
import type { RouteDependencies } from './dependencies.js';
import type { Admitted } from './read-pictures.js';
import { awaitRevision } from './registry-revision.js';

const maxRows = 1024;
const headerLengthName = 'Inference-Header-Content-Length';

export function openInferenceRoutes(dependencies: RouteDependencies): Router {
  const { serving, caller, uploads } = dependencies;
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
      requireModel(request, serving.current);
      response.json(describeModel(serving.current));
    })
    .all(onlyMethods('GET'));
  router
    .route('/v2/models/:name{/versions/:version}/infer')
    .all(named('v2-infer'))
    .post(caller, async (request, response) => {
      const answer = await serving.use(async (model) => {
        await awaitRevision(request, model.classes);
        requireModel(request, model);
        // A place in the queue is acquired before a byte of the body is read.
        const who = callerOf(request);
        return model.inference.admit(who, (permit) =>
          uploads.hold(who, (upload) =>
            answerInfer(model, { request, response, permit, upload }, dependencies),
          ),
        );
      });
      send(response, answer);
    })
    .all(onlyMethods('POST'));
  router.use('/v2', noSuchRoute, answerProtocolError);
  return router;
}

/** What orchestrators ask; apart from the rest, so that it can be mounted before a rate limit. */
export function openInferenceStateRoutes({ serving, state }: RouteDependencies): Router {
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
      requireModel(request, serving.current);
      const ready = (await state.ready()).length === 0;
      response.status(ready ? 200 : 503).json({ name: modelName, ready });
    })
    .all(onlyMethods('GET'));
  router.use('/v2', answerProtocolError);
  return router;
}

async function answerInfer(
  model: ServedModel,
  { request, response, permit, upload }: Admitted,
  { settings, metrics }: RouteDependencies,
): Promise<EncodedResponse> {
  const signal = requestSignal(request, response, settings.deadlineSeconds);
  const headerLength = request.header(headerLengthName);
  const limits = inferBodyLimits(headerLength, settings);
  const started = performance.now();
  const body = await receiveBody(request, response, limits, upload, readWhole);
  noteUpload(request, metrics, started);
  const maxPlaces = placesOfCaller(settings); // more would never find places
  const read = readInferRequest(body, headerLength, {
    pictures: Math.min(settings.picturesPerRequest, maxPlaces),
    rows: Math.min(maxRows, maxPlaces * rowsPerPlace),
    width: model.manifest.featureMap.width,
  });
  permit.extendTo(placesOf(read.content));
  const answers = await infer(model, read, { signal, onStage: contextOf(request).onStage }, settings);
  return encodeResponse(read.request, answers, model);
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

function placesOf(content: InferContent): number {
  return 'features' in content ? Math.ceil(content.features.rows / rowsPerPlace) : content.pictures.length;
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
      { name: 'verdict', datatype: 'BYTES', shape: [-1, 1] },
      { name: 'novelty', datatype: 'FP32', shape: [-1, 1] },
      { name: 'score', datatype: 'FP32', shape: [-1, -1] },
      { name: 'group', datatype: 'BYTES', shape: [-1, -1] },
      { name: 'group_probability', datatype: 'FP32', shape: [-1, -1] },
    ],
    parameters: {
      backbone: model.backbone.name,
      backbone_sha256: model.backbone.sha256,
      precision: model.backbone.precision,
    },
  };
}
