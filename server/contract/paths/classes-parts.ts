/** What the operations on classes and their examples have in common. */
import { exampleWords } from '../model-examples.js';
import { headerRefs } from '../openapi-parts.js';
import type { ResponseObject, Parameter } from '../openapi-types.js';

export const className: Parameter = {
  ...{ name: 'name', in: 'path', required: true, schema: { type: 'string' }, example: exampleWords.unseen },
  description: 'The class, percent-encoded.',
};
export const ifMatch: Parameter = {
  ...{ name: 'If-Match', in: 'header', required: true, schema: { type: 'string' } },
  description: 'The ETag of the state that the change was made against, or * for whatever is there.',
};
export const idempotencyKey: Parameter = {
  ...{ name: 'Idempotency-Key', in: 'header', required: false },
  description:
    'Made up by the client. The same request under the same key again gets the first one’s answer.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

export const changeNote = 'Always needs an admin key.';
export const reading = ['unauthenticated', 'forbidden', 'method-not-allowed', 'rate-limited'] as const;
export const writing = [
  ...([...reading, 'request-invalid', 'attributes-invalid', 'too-large', 'upload-timeout'] as const),
  ...(['overloaded', 'registry-unavailable', 'registry-invalid', 'fitting-unavailable'] as const),
];

export const withHeaders = (answer: ResponseObject, ...names: string[]): ResponseObject => ({
  ...answer,
  headers: { ...answer.headers, ...headerRefs(...names) },
});
