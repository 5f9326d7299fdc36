import {
  classListSchema,
  classSchema,
  createdManySchema,
  createdSchema,
  createQuerySchema,
  dryRunSchema,
  listQuerySchema,
  newClassesSchema,
  newClassSchema,
  removedListSchema,
  removedQuerySchema,
  replacementSchema,
  versionListSchema,
  versionsQuerySchema,
} from '../class-schemas.js';
import { adminKeyed, headerRefs, ifRegistryRevision, jsonAnswer, keyed, problems } from '../openapi-parts.js';
import { queryParameters, schemaRef } from '../openapi-schemas.js';
import type { Parameter, PathGroup } from '../openapi-types.js';
import { classExamples as examples } from './classes-examples.js';
import {
  changeNote,
  className as name,
  idempotencyKey,
  ifMatch,
  reading,
  withHeaders,
  writing,
} from './classes-parts.js';
import { classForm } from './examples.js';

const versionNumber: Parameter = {
  ...{ name: 'number', in: 'path', required: true, schema: { type: 'integer', minimum: 1 }, example: 1 },
  description: 'The version, as GET /classes/{name}/versions numbers it.',
};
const json = (schema: string, example: unknown) => ({
  required: true,
  content: { 'application/json': { schema: schemaRef(schema), example } },
});

export const classesPaths: PathGroup = {
  tag: {
    name: 'Classes',
    description:
      'A new class from its attributes, all or some, from pictures of it, or both; recognised at once.',
  },
  requests: { NewClass: newClassSchema, NewClasses: newClassesSchema, Replacement: replacementSchema },
  answers: {
    Class: classSchema,
    ClassList: classListSchema,
    Created: createdSchema,
    CreatedMany: createdManySchema,
    DryRun: dryRunSchema,
    VersionList: versionListSchema,
    RemovedList: removedListSchema,
  },
  paths: {
    '/classes': {
      get: {
        operationId: 'listClasses',
        summary: 'Which classes compete?',
        security: keyed,
        parameters: [...queryParameters(listQuerySchema), ifRegistryRevision],
        responses: {
          '200': jsonAnswer('A page of them, by name.', schemaRef('ClassList')),
          ...problems(...reading, 'request-invalid', 'precondition-failed'),
        },
      },
      post: {
        operationId: 'createClasses',
        summary: 'Add a class, or many',
        description: `From the next request on they are recognised. Many are added all or none. What exists already with the same
content is left as it is, so that the request may be repeated. A form adds one class together with example pictures of it, and
then attributes may be missing altogether. Attributes that are left out are filled in from those that are given. ${changeNote}`,
        security: adminKeyed,
        parameters: [...queryParameters(createQuerySchema), idempotencyKey],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { oneOf: [schemaRef('NewClass'), schemaRef('NewClasses')] },
              examples: examples.requests,
            },
            'multipart/form-data': classForm,
          },
        },
        responses: {
          '200': jsonAnswer('All of them existed with the same content; or the answer of a dry run.', {
            oneOf: ['Created', 'CreatedMany', 'DryRun'].map(schemaRef),
          }),
          '201': withHeaders(
            jsonAnswer('Added and stored.', { oneOf: ['Created', 'CreatedMany'].map(schemaRef) }),
            ...['ETag', 'Location', 'Registry-Revision'],
          ),
          ...problems(
            ...([...writing, 'conflict', 'idempotency-key-reused', 'limit-reached'] as const),
            ...(['image-type-refused', 'image-invalid', 'inference-failed', 'deadline-exceeded'] as const),
          ),
        },
      },
    },
    '/classes/{name}': {
      get: {
        operationId: 'getClass',
        summary: 'What is known of a class?',
        security: keyed,
        parameters: [name, ifRegistryRevision],
        responses: {
          '200': withHeaders(
            jsonAnswer('The class.', schemaRef('Class'), { example: examples.known }),
            'ETag',
          ),
          ...problems(...reading, 'request-invalid', 'not-found', 'precondition-failed'),
        },
      },
      put: {
        operationId: 'replaceClass',
        summary: 'Give a class other attributes',
        description: `Only classes that were added while serving. Its example pictures stay as they are, and the ETag is one of the
attributes alone: pictures that were added meanwhile are no reason for 412. ${changeNote}`,
        security: adminKeyed,
        parameters: [name, ifMatch],
        requestBody: json('Replacement', examples.replacement),
        responses: {
          '200': withHeaders(jsonAnswer('Replaced.', schemaRef('Created')), 'ETag', 'Registry-Revision'),
          ...problems(...writing, 'not-found', 'conflict', 'precondition-failed', 'precondition-required'),
        },
      },
      delete: {
        operationId: 'removeClass',
        summary: 'Remove a class',
        description: `Only classes that were added while serving; its example pictures are removed with it. What it was can be restored for \`--version-days\` (30). ${changeNote}`,
        security: adminKeyed,
        parameters: [name, ifMatch],
        responses: {
          '204': { description: 'Removed.', headers: headerRefs('X-Request-Id', 'Registry-Revision') },
          ...problems(...writing, 'not-found', 'conflict', 'precondition-failed', 'precondition-required'),
        },
      },
    },
    '/classes/{name}/versions': {
      get: {
        operationId: 'listVersions',
        summary: 'What was a class before?',
        description:
          'After each change, of its examples too, newest first; also of a class that was removed.',
        security: keyed,
        parameters: [name, ...queryParameters(versionsQuerySchema), ifRegistryRevision],
        responses: {
          '200': jsonAnswer('Its versions.', schemaRef('VersionList'), { example: examples.versions }),
          ...problems(
            ...([...reading, 'request-invalid', 'not-found', 'precondition-failed'] as const),
            ...(['registry-unavailable', 'registry-invalid'] as const),
          ),
        },
      },
    },
    '/removed-classes': {
      get: {
        operationId: 'listRemovedClasses',
        summary: 'Which classes were removed?',
        description:
          'Those that were added while serving and can still be restored. An order by time is up to the caller.',
        security: keyed,
        parameters: [...queryParameters(removedQuerySchema), ifRegistryRevision],
        responses: {
          '200': jsonAnswer('A page of them, by name.', schemaRef('RemovedList'), {
            example: examples.removed,
          }),
          ...problems(
            ...([...reading, 'request-invalid', 'precondition-failed'] as const),
            ...(['registry-unavailable', 'registry-invalid'] as const),
          ),
        },
      },
    },
    '/classes/{name}/versions/{number}/restore': {
      post: {
        operationId: 'restoreVersion',
        summary: 'Give a class the attributes and the examples of an earlier version',
        description: `A change like any other, with a version of its own. If-Match is needed where the class exists. ${changeNote}`,
        security: adminKeyed,
        parameters: [name, versionNumber, { ...ifMatch, required: false }, idempotencyKey],
        responses: {
          '200': withHeaders(jsonAnswer('Restored.', schemaRef('Created')), 'ETag', 'Registry-Revision'),
          '201': withHeaders(
            jsonAnswer('Restored after it was removed.', schemaRef('Created')),
            ...['ETag', 'Location', 'Registry-Revision'],
          ),
          ...problems(
            ...([...writing, 'not-found', 'conflict', 'precondition-failed'] as const),
            ...(['precondition-required', 'idempotency-key-reused'] as const),
          ),
        },
      },
    },
  },
};
