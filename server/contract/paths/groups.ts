import {
  groupContentSchema,
  groupListQuerySchema,
  groupListSchema,
  groupSchema,
  storedGroupSchema,
} from '../group-schemas.js';
import { exampleWords } from '../model-examples.js';
import { adminKeyed, headerRefs, ifRegistryRevision, jsonAnswer, keyed, problems } from '../openapi-parts.js';
import { queryParameters, schemaRef } from '../openapi-schemas.js';
import type { Parameter, PathGroup } from '../openapi-types.js';
import { changeNote, idempotencyKey, ifMatch, reading, withHeaders, writing } from './classes-parts.js';

const name: Parameter = {
  ...{ name: 'name', in: 'path', required: true, schema: { type: 'string' }, example: 'hoofed' },
  description: 'The group, percent-encoded.',
};
const group = {
  ...{ name: 'hoofed', family: 'order', size: 2, classes: [exampleWords.seen, exampleWords.unseen] },
  ...{ etag: '5d41402abc4b2a76b9719d911017c592', revision: 13 },
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
};

export const groupPaths: PathGroup = {
  tag: {
    name: 'Groups',
    description:
      'Named lists of classes: the species of a region, the parts of a machine. `POST /classify?group=NAME` lets only them answer, ' +
      '`?groupBy=FAMILY` sums probabilities over the groups of a family.',
  },
  requests: { GroupContent: groupContentSchema },
  answers: { Group: groupSchema, StoredGroup: storedGroupSchema, GroupList: groupListSchema },
  paths: {
    '/groups': {
      get: {
        operationId: 'listGroups',
        summary: 'Which groups are there?',
        security: keyed,
        parameters: [...queryParameters(groupListQuerySchema), ifRegistryRevision],
        responses: {
          '200': jsonAnswer('A page of them, by name.', schemaRef('GroupList'), {
            example: { groups: [{ ...group, classes: undefined }], total: 1, registryRevision: 13 },
          }),
          ...problems(...reading, 'request-invalid', 'precondition-failed'),
        },
      },
    },
    '/groups/{name}': {
      get: {
        operationId: 'getGroup',
        summary: 'One group, with its classes',
        security: keyed,
        parameters: [name, ifRegistryRevision],
        responses: {
          '200': withHeaders(jsonAnswer('The group.', schemaRef('Group'), { example: group }), 'ETag'),
          ...problems(...reading, 'request-invalid', 'not-found', 'precondition-failed'),
        },
      },
      put: {
        operationId: 'putGroup',
        summary: 'Make a group, or replace it',
        description: `Every class must be there: one that is not is refused, with the names that look like it. A class that is removed later
leaves its groups in the same revision. A group that exists is replaced only with If-Match; the same content again changes nothing.
${changeNote}`,
        security: adminKeyed,
        parameters: [name, { ...ifMatch, required: false }, idempotencyKey],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: schemaRef('GroupContent'),
              example: { classes: group.classes, family: group.family },
            },
          },
        },
        responses: {
          '200': withHeaders(
            jsonAnswer('Replaced, or there like that already.', schemaRef('StoredGroup')),
            ...['ETag', 'Location', 'Registry-Revision'],
          ),
          '201': withHeaders(
            jsonAnswer('Made and stored.', schemaRef('StoredGroup'), {
              example: { ...group, registryRevision: 13 },
            }),
            ...['ETag', 'Location', 'Registry-Revision'],
          ),
          ...problems(
            ...([...writing, 'class-unknown', 'conflict', 'idempotency-key-reused'] as const),
            ...(['precondition-failed', 'precondition-required'] as const),
          ),
        },
      },
      delete: {
        operationId: 'removeGroup',
        summary: 'Remove a group',
        description: `Its classes stay. ${changeNote}`,
        security: adminKeyed,
        parameters: [name, ifMatch],
        responses: {
          '204': { description: 'It is gone.', headers: headerRefs('X-Request-Id', 'Registry-Revision') },
          ...problems(...writing, 'not-found', 'precondition-failed', 'precondition-required'),
        },
      },
    },
  },
};
