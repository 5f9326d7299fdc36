import type { FailureCode } from '../../../core/failures.js';
import { problemDetailsOf } from '../../http/problem-details.js';
import {
  inferRequestSchema,
  inferResponseSchema,
  liveSchema,
  modelMetadataSchema,
  modelName,
  modelReadySchema,
  protocolErrorSchema,
  readySchema,
  serverMetadataSchema,
} from '../../open-inference/schemas.js';
import { ifRegistryRevision, jsonAnswer, keyed, refusals } from '../openapi-parts.js';
import { schemaRef } from '../openapi-schemas.js';
import type { ResponseObject, Media, Operation, Parameter, PathGroup, PathItem } from '../openapi-types.js';
import { inferExamples, modelExample } from './open-inference-examples.js';

const pathParameter = (name: string, description: string, example?: string): Parameter => ({
  ...{ name, in: 'path', required: true, description, schema: { type: 'string' } },
  ...(example !== undefined && { example }),
});
const name = pathParameter('name', `Always \`${modelName}\`.`, modelName);
const version = pathParameter(
  'version',
  'The first twelve digits of the bundle, as the model’s metadata says.',
);
const headerLength: Parameter = {
  name: 'Inference-Header-Content-Length',
  in: 'header',
  required: false,
  description: 'Length of the JSON at the start of the body, when bytes of tensors follow it.',
  schema: { type: 'integer', minimum: 0 },
};

function protocolErrors(...codes: FailureCode[]): Readonly<Record<string, ResponseObject>> {
  return refusals(
    codes,
    (failure) => ({ error: `${problemDetailsOf(failure).title}: here it says what to change.` }),
    'application/json',
    schemaRef('ProtocolError'),
  );
}

function probe(operationId: string, summary: string, schema: string): Operation {
  const answer = (description: string) => jsonAnswer(description, schemaRef(schema));
  return { operationId, summary, responses: { '200': answer('Yes.'), '503': answer('Not now.') } };
}

/** The same operation under the path with and without a version. */
function versioned(tail: string, method: 'get' | 'post', operation: Operation): Record<string, PathItem> {
  const parameters = operation.parameters ?? [];
  const { operationId } = operation;
  return {
    [`/v2/models/{name}${tail}`]: { [method]: { ...operation, parameters: [name, ...parameters] } },
    [`/v2/models/{name}/versions/{version}${tail}`]: {
      [method]: {
        ...operation,
        operationId: `${operationId}Version`,
        parameters: [name, version, ...parameters],
      },
    },
  };
}

const binary: Media = { schema: { type: 'string', format: 'binary' } };
const answered = jsonAnswer(
  'The outputs asked for; all of them, when none was named.',
  schemaRef('InferResponse'),
  {
    example: inferExamples.answer,
  },
);

export const openInferencePaths: PathGroup = {
  tag: { name: 'Open Inference Protocol', description: 'KServe v2, for clients that speak it already.' },
  requests: { InferRequest: inferRequestSchema },
  answers: {
    InferResponse: inferResponseSchema,
    ServerMetadata: serverMetadataSchema,
    ModelMetadata: modelMetadataSchema,
    ServerLive: liveSchema,
    ServerReady: readySchema,
    ModelReady: modelReadySchema,
    ProtocolError: protocolErrorSchema,
  },
  paths: {
    '/v2': {
      get: {
        operationId: 'v2Server',
        summary: 'Server metadata',
        security: keyed,
        responses: {
          '200': jsonAnswer('Name, version and extensions.', schemaRef('ServerMetadata')),
          ...protocolErrors('unauthenticated', 'forbidden'),
        },
      },
    },
    '/v2/health/live': { get: probe('v2Live', 'Is it alive?', 'ServerLive') },
    '/v2/health/ready': { get: probe('v2Ready', 'May requests be sent here?', 'ServerReady') },
    ...versioned('/ready', 'get', probe('v2ModelReady', 'Is the model ready?', 'ModelReady')),
    ...versioned('', 'get', {
      operationId: 'v2Model',
      summary: 'Model metadata',
      description: 'Its inputs are alternatives: a request has exactly one of them.',
      security: keyed,
      responses: {
        '200': jsonAnswer('Inputs and outputs.', schemaRef('ModelMetadata'), { example: modelExample }),
        ...protocolErrors('unauthenticated', 'forbidden', 'not-found'),
      },
    }),
    ...versioned('/infer', 'post', {
      operationId: 'v2Infer',
      summary: 'Classify pictures, or rows of features',
      description: `\`image\` takes pictures in base64; \`features\` takes rows as the backbone would give them, and skips
decoding and network. With the binary tensor extension the bytes of a tensor follow the JSON, and nothing is wasted on base64. The
JSON has a limit of its own (4 MB unless set otherwise, so 3 MB of pictures in base64); the bytes behind it have that of a body.`,
      security: keyed,
      parameters: [headerLength, ifRegistryRevision],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemaRef('InferRequest'), examples: inferExamples.requests },
          'application/octet-stream': binary,
        },
      },
      responses: {
        '200': { ...answered, content: { ...answered.content, 'application/octet-stream': binary } },
        ...protocolErrors(
          ...(['request-invalid', 'unauthenticated', 'forbidden', 'not-found', 'upload-timeout'] as const),
          ...(['too-large', 'image-type-refused', 'image-invalid', 'rate-limited', 'overloaded'] as const),
          ...(['not-ready', 'precondition-failed', 'inference-failed', 'deadline-exceeded'] as const),
        ),
      },
    }),
  },
};
