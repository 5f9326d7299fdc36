import { exampleWords } from '../model-examples.js';
import { jsonAnswer, keyed, problems } from '../openapi-parts.js';
import { schemaRef } from '../openapi-schemas.js';
import type { PathGroup } from '../openapi-types.js';
import { attributesResponseSchema } from '../schemas.js';

export const attributesPaths: PathGroup = {
  tag: { name: 'Attributes', description: 'What classes are described by.' },
  answers: { Attributes: attributesResponseSchema },
  paths: {
    '/attributes': {
      get: {
        operationId: 'attributes',
        summary: 'Which attributes does the model know?',
        description:
          'Names, order and range of what an attribute vector must hold, and the range in which unseenBias makes sense.',
        security: keyed,
        responses: {
          '200': jsonAnswer('The attributes, in the order of a vector.', schemaRef('Attributes'), {
            example: {
              attributes: [{ name: exampleWords.attributes[0], minimum: 0, maximum: 100 }],
              unseenBias: { default: 0.4, minimum: -6.2, maximum: 5.1 },
              model: exampleWords.model,
            },
          }),
          ...problems('unauthenticated', 'forbidden', 'method-not-allowed', 'rate-limited'),
        },
      },
    },
  },
};
