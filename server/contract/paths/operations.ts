import { headerRefs, jsonAnswer, keyed, problems } from '../openapi-parts.js';
import { schemaRef } from '../openapi-schemas.js';
import type { Operation, PathGroup } from '../openapi-types.js';
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
  answers: { State: stateResponseSchema, Readiness: readinessResponseSchema, Reloaded: reloadResponseSchema },
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
        summary: 'Load the bundle anew',
        description: `Reads the bundle again from where the server was told that it lies, warms it up, and takes it, with no
failed request. When it cannot be used, the former one goes on. Needs an admin key; where none is configured, only callers on
the same machine may ask.`,
        security: keyed,
        responses: {
          '200': jsonAnswer(
            'The bundle that serves now, and whether it is another one.',
            schemaRef('Reloaded'),
            {
              example: { version: '5f6c0e7a9b1d…', changed: true },
            },
          ),
          ...problems(
            ...(['unauthenticated', 'forbidden', 'method-not-allowed', 'rate-limited'] as const),
            ...(['bundle-not-found', 'bundle-invalid'] as const),
          ),
        },
      },
    },
  },
};
