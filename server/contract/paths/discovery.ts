import { classOfPoolSchema, discoverySchema } from '../discovery-schemas.js';
import { exampleWords } from '../model-examples.js';
import { adminKeyed, jsonAnswer, problems } from '../openapi-parts.js';
import { schemaRef } from '../openapi-schemas.js';
import type { PathGroup } from '../openapi-types.js';
import { poolName } from './adaptations.js';
import { changeNote, idempotencyKey, withHeaders, writing } from './classes-parts.js';

const [stripes, hooves] = exampleWords.attributes;
const member = '5d41402abc4b2a76b9719d911017c592';

export const discoveryPaths: PathGroup = {
  tag: {
    name: 'Missing classes',
    description:
      'Pictures of a pool that are none of the known classes, in groups: each a draft of a class that a person names and saves.',
  },
  requests: { ClassOfPool: classOfPoolSchema },
  answers: { Discovery: discoverySchema },
  paths: {
    '/pools/{name}/discover': {
      post: {
        operationId: 'discover',
        summary: 'Which classes are missing?',
        description: `Groups of pictures of the pool that a class of their own explains better than all known ones do, with the attributes read from them and the
classes that they are taken for. Nothing changes. It takes seconds, in a process of its own. A single picture of a class that resembles known ones cannot be
told from theirs; twenty can. ${changeNote}`,
        security: adminKeyed,
        parameters: [poolName],
        responses: {
          '200': jsonAnswer('The groups, the most certain first.', schemaRef('Discovery'), {
            example: {
              ...{ pool: 'holiday', pictures: 412, registryRevision: 12, ungrouped: [], advice: '' },
              groups: [
                {
                  ...{ pictures: 37, members: [member], novelty: 0.84, looseness: 0.97, gain: 212.1 },
                  ...{
                    attributes: { [stripes]: 0.93, [hooves]: 0.7 },
                    certainty: { [stripes]: 0.81, [hooves]: 0.35 },
                  },
                  ...{ nearest: [{ name: exampleWords.seen, probability: 0.31 }], doubts: [] },
                },
              ],
            },
          }),
          ...problems(...writing, 'not-found', 'too-few-pictures', 'config-invalid', 'deadline-exceeded'),
        },
      },
    },
    '/pools/{name}/classes': {
      post: {
        operationId: 'createClassOfPool',
        summary: 'Save a group of pictures as a class',
        description: `Like POST /classes with pictures, but these are in the pool already: \`members\` become examples of the class. Attributes that are not
given are filled in from them. ${changeNote}`,
        security: adminKeyed,
        parameters: [poolName, idempotencyKey],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: schemaRef('ClassOfPool'),
              example: { name: exampleWords.added, members: [member], attributes: { [stripes]: 1 } },
            },
          },
        },
        responses: {
          '200': withHeaders(
            jsonAnswer('It was there already, with these pictures.', schemaRef('Created')),
            ...['ETag', 'Location', 'Registry-Revision'],
          ),
          '201': withHeaders(
            jsonAnswer('Stored, and every picture from now on may be of it.', schemaRef('Created')),
            ...['ETag', 'Location', 'Registry-Revision'],
          ),
          ...problems(...writing, 'not-found', 'conflict', 'limit-reached', 'idempotency-key-reused'),
        },
      },
    },
  },
};
