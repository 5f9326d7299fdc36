import { pictureField } from '../../http/multipart.js';
import {
  adaptationListSchema,
  adaptationSchema,
  adaptQuerySchema,
  dryRunAdaptationSchema,
  newAdaptationSchema,
  pooledSchema,
  poolDetailSchema,
  poolListSchema,
} from '../adaptation-schemas.js';
import { exampleWords } from '../model-examples.js';
import { adminKeyed, headerRefs, ifRegistryRevision, jsonAnswer, keyed, problems } from '../openapi-parts.js';
import { queryParameters, schemaRef } from '../openapi-schemas.js';
import type { Parameter, PathGroup } from '../openapi-types.js';
import { changeNote, idempotencyKey, reading, withHeaders, writing } from './classes-parts.js';
import { pictureBody } from './picture-body.js';

const storeFailures = ['registry-unavailable', 'registry-invalid'] as const;

export const poolName: Parameter = {
  ...{ name: 'name', in: 'path', required: true, schema: { type: 'string' }, example: 'holiday' },
  description:
    'The pool: up to 64 of a-z, 0-9, ".", "_" and "-". `traffic` is the sample of classified pictures.',
};
const adaptationId: Parameter = {
  ...{ name: 'id', in: 'path', required: true, schema: { type: 'string' } },
  example: '0b9a4f0e-6f1c-4c53-9a53-0f6c0c1f7f51',
  description: 'The adaptation, as GET /adaptations names it.',
};

const report = {
  ...{ pool: 'traffic', pictures: 2429 },
  classes: [{ name: exampleWords.unseen, seen: false, pictures: 61.2, byMistake: 3.9, moved: 0.18 }],
  movedClasses: 1,
  mass: { seen: 0.62, unseen: 0.35, none: 0.03 },
  none: ['5d41402abc4b2a76b9719d911017c592'],
  expected: { before: -4.1, after: -3.8 },
  seenRows: { rows: 3000, before: 0.913, after: 0.912 },
  changedAnswers: {
    pictures: 212,
    examples: [
      { id: '7d793037a0760186574b0282f2f435e7', before: exampleWords.seen, after: exampleWords.unseen },
    ],
    lastDay: { pictures: 18_340, changed: 1502 },
  },
  drift: { pool: 0.61, training: 0.52, ratio: 1.17 },
  warnings: [],
  isRecommended: true,
};

const summary = {
  ...{ id: adaptationId.example, at: '2026-01-31T12:00:00.000Z', by: 'ada', revision: 13 },
  ...{ active: true, undone: null, pool: 'traffic', pictures: 2429, movedClasses: 1 },
};

export const adaptationPaths: PathGroup = {
  tag: {
    name: 'Adaptations',
    description:
      'Learning from pictures that nobody labelled: pools of them, what they would change, and back again. Features of pictures are stored, never pictures, and only where this is asked for.',
  },
  requests: { NewAdaptation: newAdaptationSchema },
  answers: {
    Adaptation: adaptationSchema,
    AdaptationList: adaptationListSchema,
    AdaptationPreview: dryRunAdaptationSchema,
    Pool: poolDetailSchema,
    PoolList: poolListSchema,
    Pooled: pooledSchema,
  },
  paths: {
    '/pools': {
      get: {
        operationId: 'listPools',
        summary: 'Which pictures are there to learn from?',
        description: 'How many, and since when; neither pictures nor features.',
        security: keyed,
        responses: {
          '200': jsonAnswer('The pools.', schemaRef('PoolList')),
          ...problems(...reading, ...storeFailures),
        },
      },
    },
    '/pools/{name}': {
      get: {
        operationId: 'getPool',
        summary: 'What does a pool hold?',
        security: keyed,
        parameters: [poolName],
        responses: {
          '200': jsonAnswer('How many pictures were given which answer.', schemaRef('Pool')),
          ...problems(...reading, 'request-invalid', 'not-found', ...storeFailures),
        },
      },
      post: {
        operationId: 'addToPool',
        summary: 'Add unlabelled pictures to a pool',
        description: `One picture as the body, or several as files of a form, each in the field \`${pictureField}\`; all of them or none. A pool is
made by its first picture, and what is in it is forgotten after \`--pool-days\` (30). The pool \`traffic\` takes none. ${changeNote}`,
        security: adminKeyed,
        parameters: [poolName],
        requestBody: pictureBody,
        responses: {
          '200': jsonAnswer('Stored, with what each is answered now.', schemaRef('Pooled')),
          ...problems(
            ...([...reading, ...storeFailures, 'request-invalid', 'too-large', 'upload-timeout'] as const),
            ...(['overloaded', 'limit-reached', 'conflict', 'image-type-refused'] as const),
            ...(['image-invalid', 'inference-failed', 'deadline-exceeded'] as const),
          ),
        },
      },
      delete: {
        operationId: 'removePool',
        summary: 'Forget what is in a pool',
        description: `Also the sample of classified pictures, which starts again. Adaptations that were learnt from it stay. ${changeNote}`,
        security: adminKeyed,
        parameters: [poolName],
        responses: {
          '204': { description: 'Forgotten.', headers: headerRefs('X-Request-Id') },
          ...problems(...reading, 'request-invalid', 'not-found', ...storeFailures),
        },
      },
    },
    '/adaptations': {
      get: {
        operationId: 'listAdaptations',
        summary: 'What was learnt from unlabelled pictures?',
        description: 'By the model that serves; also what was undone or replaced.',
        security: keyed,
        parameters: [ifRegistryRevision],
        responses: {
          '200': jsonAnswer('The adaptations.', schemaRef('AdaptationList'), {
            example: { adaptations: [summary], registryRevision: 13 },
          }),
          ...problems(...reading, 'request-invalid', 'precondition-failed', ...storeFailures),
        },
      },
      post: {
        operationId: 'adapt',
        summary: 'Learn from a pool, or see what that would change',
        description: `Classes without training pictures move to where the pictures say that they are, as far as pictures of other classes do not explain
that. It takes seconds to minutes, in a process of its own. Every adaptation starts from what training and changes of classes gave, and takes the place of the one
before. A class that is changed afterwards keeps nothing of it. With an Idempotency-Key the adaptation is computed even if the caller goes away; after a minute the
answer is 503 with Retry-After, and the same request again waits for the result, or gets the adaptation that was made. ${changeNote}`,
        security: adminKeyed,
        parameters: [...queryParameters(adaptQuerySchema), idempotencyKey],
        requestBody: {
          required: false,
          content: {
            'application/json': { schema: schemaRef('NewAdaptation'), example: { pool: 'traffic' } },
          },
        },
        responses: {
          '200': jsonAnswer(
            'What would change; or, without a dry run, the adaptation in force, which the pictures would lead to again.',
            { oneOf: ['AdaptationPreview', 'Adaptation'].map(schemaRef) },
            { example: { ...report, dryRun: true, registryRevision: 12 } },
          ),
          '201': withHeaders(
            jsonAnswer(
              'Stored, and every picture from now on is answered with it.',
              schemaRef('Adaptation'),
              {
                example: { ...summary, report, registryRevision: 13 },
              },
            ),
            ...['Location', 'Registry-Revision'],
          ),
          ...problems(
            ...([...writing, 'not-found', 'too-few-pictures', 'nothing-learnt', 'config-invalid'] as const),
            ...(['deadline-exceeded', 'idempotency-key-reused', 'conflict'] as const),
          ),
        },
      },
    },
    '/adaptations/{id}': {
      get: {
        operationId: 'getAdaptation',
        summary: 'What did an adaptation change?',
        security: keyed,
        parameters: [adaptationId, ifRegistryRevision],
        responses: {
          '200': jsonAnswer('The adaptation with its report.', schemaRef('Adaptation')),
          ...problems(...reading, 'request-invalid', 'not-found', 'precondition-failed', ...storeFailures),
        },
      },
      delete: {
        operationId: 'undoAdaptation',
        summary: 'Go back to what was before an adaptation',
        description: `Of the one in force: the one that it replaced is in force again, or none. ${changeNote}`,
        security: adminKeyed,
        parameters: [adaptationId],
        responses: {
          '204': { description: 'Undone.', headers: headerRefs('X-Request-Id', 'Registry-Revision') },
          ...problems(...reading, 'request-invalid', 'not-found', 'conflict', ...storeFailures),
        },
      },
    },
  },
};
