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
  replacementSchema,
  versionListSchema,
  versionsQuerySchema,
} from '../class-schemas.js';
import { adminKeyed, headerRefs, ifRegistryRevision, jsonAnswer, keyed, problems } from '../openapi-parts.js';
import { queryParameters, schemaRef } from '../openapi-schemas.js';
import type { Answer, Parameter, PathGroup } from '../openapi-types.js';
import { classExamples as examples } from './classes-examples.js';

const name: Parameter = {
  ...{ name: 'name', in: 'path', required: true, schema: { type: 'string' }, example: 'zebra' },
  description: 'The class, percent-encoded.',
};
const versionNumber: Parameter = {
  ...{ name: 'number', in: 'path', required: true, schema: { type: 'integer', minimum: 1 }, example: 1 },
  description: 'The version, as GET /classes/{name}/versions numbers it.',
};
const ifMatch: Parameter = {
  ...{ name: 'If-Match', in: 'header', required: true, schema: { type: 'string' } },
  description: 'The ETag of the state that the change was made against, or * for whatever is there.',
};
const idempotencyKey: Parameter = {
  ...{ name: 'Idempotency-Key', in: 'header', required: false },
  description:
    'Made up by the client. The same request under the same key again gets the first one’s answer.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

const changeNote = 'Always needs an admin key.';
const reading = ['unauthenticated', 'forbidden', 'method-not-allowed', 'rate-limited'] as const;
const writing = [
  ...([...reading, 'request-invalid', 'attributes-invalid', 'too-large', 'upload-timeout'] as const),
  ...(['overloaded', 'registry-unavailable', 'registry-invalid', 'fitting-unavailable'] as const),
];

const withHeaders = (answer: Answer, ...names: string[]): Answer => ({
  ...answer,
  headers: { ...answer.headers, ...headerRefs(...names) },
});
const json = (schema: string, example: unknown) => ({
  required: true,
  content: { 'application/json': { schema: schemaRef(schema), example } },
});

export const classesPaths: PathGroup = {
  tag: { name: 'Classes', description: 'A new class from nothing but its attributes, recognised at once.' },
  requests: { NewClass: newClassSchema, NewClasses: newClassesSchema, Replacement: replacementSchema },
  answers: {
    Class: classSchema,
    ClassList: classListSchema,
    Created: createdSchema,
    CreatedMany: createdManySchema,
    DryRun: dryRunSchema,
    VersionList: versionListSchema,
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
content is left as it is, so that the request may be repeated. ${changeNote}`,
        security: adminKeyed,
        parameters: [...queryParameters(createQuerySchema), idempotencyKey],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { oneOf: [schemaRef('NewClass'), schemaRef('NewClasses')] },
              examples: examples.requests,
            },
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
          ...problems(...writing, 'conflict', 'idempotency-key-reused'),
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
        description: `Only classes that were added while serving. ${changeNote}`,
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
        description: `Only classes that were added while serving. What it was can be restored for \`--version-days\` (30). ${changeNote}`,
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
        description: 'After each change, newest first; also of a class that was removed.',
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
    '/classes/{name}/versions/{number}/restore': {
      post: {
        operationId: 'restoreVersion',
        summary: 'Give a class the attributes of an earlier version',
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
