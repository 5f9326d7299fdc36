import { classField, pictureField } from '../../http/multipart.js';
import { addedExamplesSchema, exampleListSchema, exampleQuerySchema } from '../class-schemas.js';
import { exampleWords } from '../model-examples.js';
import { adminKeyed, headerRefs, ifRegistryRevision, jsonAnswer, keyed, problems } from '../openapi-parts.js';
import { queryParameters, schemaRef } from '../openapi-schemas.js';
import type { Media, Parameter, PathGroup } from '../openapi-types.js';
import { changeNote, className, idempotencyKey, reading, withHeaders, writing } from './classes-parts.js';
import { pictureBody, pictureFiles } from './picture-body.js';

const exampleId: Parameter = {
  ...{ name: 'id', in: 'path', required: true, schema: { type: 'string' } },
  example: '5d41402abc4b2a76b9719d911017c592',
  description: 'The example, as GET /classes/{name}/examples names it.',
};

/** A class and pictures of it in one request. */
export const classForm: Media = {
  schema: {
    type: 'object',
    properties: { [classField]: schemaRef('NewClass'), [pictureField]: pictureFiles },
    required: [classField],
    additionalProperties: false,
  },
};

const listed = {
  ...{ id: exampleId.example, createdAt: '2026-01-31T12:00:00.000Z', by: 'ada', usable: true },
};

export const examplePaths: PathGroup = {
  tag: {
    name: 'Examples',
    description:
      'Labelled pictures of a class, one or many, of any class. The features that the network makes of a picture are stored, never the picture.',
  },
  answers: { ExampleList: exampleListSchema, AddedExamples: addedExamplesSchema },
  paths: {
    '/classes/{name}/examples': {
      get: {
        operationId: 'listExamples',
        summary: 'Which example pictures does a class have?',
        description: 'When each was added and by whom; neither pictures nor features.',
        security: keyed,
        parameters: [className, ifRegistryRevision],
        responses: {
          '200': jsonAnswer('Its examples.', schemaRef('ExampleList'), {
            example: { name: exampleWords.unseen, examples: [listed], registryRevision: 12 },
          }),
          ...problems(...reading, 'request-invalid', 'not-found', 'precondition-failed'),
        },
      },
      post: {
        operationId: 'addExamples',
        summary: 'Add pictures of a class',
        description: `One picture as the body, or several as files of a form, each in the field \`${pictureField}\`; all of them or none.
Also of a class that the model has itself. A picture that the class has already is left as it is. From the next request on the
class is recognised with them. ${changeNote}`,
        security: adminKeyed,
        parameters: [className, ...queryParameters(exampleQuerySchema), idempotencyKey],
        requestBody: pictureBody,
        responses: {
          '200': withHeaders(
            jsonAnswer('All of them were there already.', schemaRef('AddedExamples')),
            ...['ETag', 'Registry-Revision'],
          ),
          '201': withHeaders(
            jsonAnswer('Added and stored.', schemaRef('AddedExamples'), {
              example: {
                ...{ name: exampleWords.unseen, examples: 3, added: 1 },
                pictures: [{ name: `${exampleWords.unseen}.jpg`, id: exampleId.example, outcome: 'added' }],
                registryRevision: 13,
              },
            }),
            ...['ETag', 'Registry-Revision'],
          ),
          ...problems(
            ...([...writing, 'not-found', 'limit-reached', 'idempotency-key-reused', 'conflict'] as const),
            ...(['image-type-refused', 'image-invalid', 'inference-failed', 'deadline-exceeded'] as const),
          ),
        },
      },
      delete: {
        operationId: 'removeAllExamples',
        summary: 'Remove all example pictures of a class',
        description: `A class that is known by its pictures alone keeps at least one: remove the class instead. ${changeNote}`,
        security: adminKeyed,
        parameters: [className],
        responses: {
          '204': { description: 'Removed.', headers: headerRefs('X-Request-Id', 'Registry-Revision') },
          ...problems(...writing, 'not-found'),
        },
      },
    },
    '/classes/{name}/examples/{id}': {
      delete: {
        operationId: 'removeExample',
        summary: 'Remove an example picture of a class',
        description: `It is kept for a restore of the class for \`--version-days\` (30), then forgotten. ${changeNote}`,
        security: adminKeyed,
        parameters: [className, exampleId],
        responses: {
          '204': { description: 'Removed.', headers: headerRefs('X-Request-Id', 'Registry-Revision') },
          ...problems(...writing, 'not-found'),
        },
      },
    },
  },
};
