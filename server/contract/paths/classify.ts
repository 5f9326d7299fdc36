import { pictureField } from '../../http/multipart.js';
import { exampleWords } from '../model-examples.js';
import { ifRegistryRevision, jsonAnswer, keyed, problems } from '../openapi-parts.js';
import { queryParameters, schemaRef } from '../openapi-schemas.js';
import type { PathGroup } from '../openapi-types.js';
import {
  classifyManyResponseSchema,
  classifyQuerySchema,
  classifyResponseSchema,
  evidenceSchema,
  explanationSchema,
  modelSchema,
  predictionSchema,
  rollUpSchema,
  scoreSchema,
} from '../schemas.js';
import { pictureBody } from './picture-body.js';

const predictions = [
  { class: exampleWords.unseen, probability: 0.91, seen: false, runtime: false },
  { class: exampleWords.seen, probability: 0.06, seen: true, runtime: false },
];
const confidence = { verdict: 'known', novelty: 0.41, calibrated: true };
const footer = {
  model: exampleWords.model,
  registryRevision: 12,
  requestId: '0b9a4f0e-6f1c-4c53-9a53-0f6c0c1f7f51',
};

export const classifyPaths: PathGroup = {
  tag: { name: 'Classify', description: 'Pictures in, classes with probabilities out.' },
  answers: {
    Prediction: predictionSchema,
    Score: scoreSchema,
    RollUp: rollUpSchema,
    Evidence: evidenceSchema,
    Explanation: explanationSchema,
    Model: modelSchema,
    Classification: classifyResponseSchema,
    Classifications: classifyManyResponseSchema,
  },
  paths: {
    '/classify': {
      post: {
        operationId: 'classify',
        summary: 'Which class is it?',
        description: `Send the picture itself as the body (\`curl --data-binary @FILE -H 'Content-Type: image/jpeg'\`), or one or
several as files of a form, each in the field \`${pictureField}\`. Seen and unseen classes compete. JPEG, PNG and WebP are
decoded, whatever the type says; pictures are never fetched from a URL. Asking again changes nothing, so a refusal with
Retry-After may simply be repeated. \`classes\` and \`group\` say which classes may answer; a name that is not known is refused
with the names that look like it.`,
        security: keyed,
        parameters: [...queryParameters(classifyQuerySchema), ifRegistryRevision],
        requestBody: pictureBody,
        responses: {
          '200': jsonAnswer(
            'Likeliest class first. For several pictures, one entry each, in the order in which they came.',
            { oneOf: [schemaRef('Classification'), schemaRef('Classifications')] },
            {
              examples: {
                one: { summary: 'One picture', value: { predictions, ...confidence, ...footer } },
                several: {
                  summary: 'Several pictures, of which one cannot be used',
                  value: {
                    pictures: [
                      { name: 'first.jpg', predictions, ...confidence },
                      {
                        name: 'second.gif',
                        problem: {
                          type: 'urn:unseen:problem:image-type-refused',
                          title: 'Not an accepted type',
                          status: 415,
                          code: 'image-type-refused',
                          detail: 'second.gif is no JPEG, PNG or WebP picture.',
                        },
                      },
                    ],
                    ...footer,
                  },
                },
              },
            },
          ),
          ...problems(
            ...([
              'request-invalid',
              'class-unknown',
              'unauthenticated',
              'forbidden',
              'method-not-allowed',
            ] as const),
            ...(['upload-timeout', 'too-large', 'image-type-refused', 'image-invalid'] as const),
            ...([
              'rate-limited',
              'overloaded',
              'not-ready',
              'precondition-failed',
              'inference-failed',
              'deadline-exceeded',
            ] as const),
          ),
        },
      },
    },
  },
};
