import { backupSchema, importedSchema, importQuerySchema } from '../class-schemas.js';
import {
  reloadPreviewSchema,
  reloadQuerySchema,
  storedExamplesQuerySchema,
  storedExamplesSchema,
} from '../class-schemas.js';
import { adminKeyed, headerRefs, jsonAnswer, problems } from '../openapi-parts.js';
import { queryParameters, schemaRef } from '../openapi-schemas.js';
import type { Operation, PathGroup } from '../openapi-types.js';
import { classExamples } from './classes-examples.js';
import { readinessResponseSchema, reloadResponseSchema, stateResponseSchema } from '../schemas.js';

const serving = {
  provider: 'cpu',
  workers: 1,
  workersReady: 1,
  queued: 0,
  queueLimit: 256,
  registryRevision: 12,
};

function stateOperation(
  [operationId, schema]: readonly [string, string],
  summary: string,
  description: string,
  more: object = {},
): Operation {
  return {
    operationId,
    summary,
    description,
    responses: {
      '200': jsonAnswer('Yes.', schemaRef(schema), { example: { status: 'ok', reasons: [], ...more } }),
      '503': jsonAnswer('No, and why.', schemaRef(schema), {
        example: { status: 'unavailable', reasons: ['the server is about to stop'], ...more },
      }),
    },
  };
}

export const operationsPaths: PathGroup = {
  tag: {
    name: 'Operations',
    description: 'For orchestrators and operators. Probes and metrics need no key.',
  },
  requests: { ClassBackup: backupSchema },
  answers: {
    State: stateResponseSchema,
    Readiness: readinessResponseSchema,
    Reloaded: reloadResponseSchema,
    ReloadPreview: reloadPreviewSchema,
    Imported: importedSchema,
    StoredExamples: storedExamplesSchema,
  },
  paths: {
    '/healthz': {
      get: stateOperation(
        ['healthz', 'State'],
        'Is it alive?',
        'When it says no, restarting the process is the best there is.',
      ),
    },
    '/readyz': {
      get: stateOperation(
        ['readyz', 'Readiness'],
        'May requests be sent here?',
        'Rests on a picture that went through queue, network and head, not on a flag. Also says what is at work.',
        { serving },
      ),
    },
    '/metrics': {
      get: {
        operationId: 'metrics',
        summary: 'What does it measure?',
        description:
          'Prometheus text format. On another port, and not here, when the server was started with --metrics-port.',
        responses: {
          '200': {
            description: 'All metrics.',
            headers: headerRefs('X-Request-Id'),
            content: {
              'text/plain': {
                schema: { type: 'string' },
                example: '# TYPE unseen_queue_depth gauge\nunseen_queue_depth 0\n',
              },
            },
          },
          ...problems('method-not-allowed'),
        },
      },
    },
    '/admin/reload': {
      post: {
        operationId: 'reload',
        summary: 'Reload the bundle',
        description: `Reads the bundle again from the path that the server was started with, warms it up, and switches to it without a
failed request. When it cannot be used, the previous one keeps serving. Always needs an admin key.`,
        security: adminKeyed,
        parameters: queryParameters(reloadQuerySchema),
        responses: {
          '200': jsonAnswer(
            'The bundle that serves now, and whether it is another one; or the answer of a dry run.',
            { oneOf: ['Reloaded', 'ReloadPreview'].map(schemaRef) },
            {
              example: { version: '5f6c0e7a9b1d…', changed: true },
            },
          ),
          ...problems(
            ...(['unauthenticated', 'forbidden', 'method-not-allowed', 'rate-limited'] as const),
            'request-invalid',
            ...(['bundle-not-found', 'bundle-invalid', 'config-invalid'] as const),
            ...(['backbone-unavailable', 'backbone-invalid'] as const),
          ),
        },
      },
    },
    '/admin/examples': {
      get: {
        operationId: 'storedExamples',
        summary: 'The stored features of the examples of a class',
        description:
          'For a backup: POST /admin/import takes them. Pictures are not stored. Needs an admin key.',
        security: adminKeyed,
        parameters: queryParameters(storedExamplesQuerySchema),
        responses: {
          '200': jsonAnswer('Features, and which network made them.', schemaRef('StoredExamples')),
          ...problems(
            ...(['unauthenticated', 'forbidden', 'method-not-allowed', 'rate-limited'] as const),
            ...(['request-invalid', 'not-found', 'conflict'] as const),
          ),
        },
      },
    },
    '/admin/import': {
      post: {
        operationId: 'importClasses',
        summary: 'Add the classes of a backup',
        description: `All of them or none. Classes that are there already like that are left as they are, so that the request may be
repeated. A dry run answers what would happen, and everything that does not fit. Needs an admin key.`,
        security: adminKeyed,
        parameters: queryParameters(importQuerySchema),
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: schemaRef('ClassBackup'), example: classExamples.backup },
          },
        },
        responses: {
          '200': jsonAnswer('What was done, or would be.', schemaRef('Imported')),
          ...problems(
            ...(['unauthenticated', 'forbidden', 'method-not-allowed', 'rate-limited'] as const),
            ...([
              'request-invalid',
              'attributes-invalid',
              'conflict',
              'too-large',
              'upload-timeout',
            ] as const),
            ...(['overloaded', 'registry-unavailable', 'registry-invalid', 'fitting-unavailable'] as const),
            'idempotency-key-reused',
          ),
        },
      },
    },
  },
};
