/** What operations have in common: headers, keys, answers, refusals. */
import { Failure, type FailureCode } from '../../core/failures.js';
import { problemMediaType, problemDetailsOf } from '../http/problem-details.js';
import { schemaRef } from './openapi-schemas.js';
import type { ResponseObject, JsonSchema, Media, Operation, Parameter } from './openapi-types.js';

export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer KEY' },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The same keys, in a header of their own.',
  },
};

/** A key, where the server has API keys: the empty alternative says that it may have none. */
export const keyed: NonNullable<Operation['security']> = [{ bearer: [] }, { apiKey: [] }, {}];

/** For changes, which always need a key. */
export const adminKeyed: NonNullable<Operation['security']> = [{ bearer: [] }, { apiKey: [] }];

export const headers: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': {
    description: 'Names this request in the log. Sent by the client, it is kept; otherwise it is made here.',
    schema: { type: 'string' },
    example: '0b9a4f0e-6f1c-4c53-9a53-0f6c0c1f7f51',
  },
  'Retry-After': {
    description: 'Seconds after which trying again makes sense.',
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
  ETag: { description: 'Names this state of the resource, for If-Match.', schema: { type: 'string' } },
  'Registry-Revision': {
    description: 'Revision of the class registry since this change; see If-Registry-Revision.',
    schema: { type: 'integer' },
  },
  Location: { description: 'Where the resource is.', schema: { type: 'string' } },
};

export const ifRegistryRevision: Parameter = {
  name: 'If-Registry-Revision',
  in: 'header',
  required: false,
  description:
    'Answer with at least this revision of the class registry: with the caller’s own change, for example.',
  schema: { type: 'integer', minimum: 0 },
};

export function headerRefs(...names: (keyof typeof headers)[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function jsonAnswer(
  description: string,
  schema: JsonSchema,
  media: Omit<Media, 'schema'> = {},
): ResponseObject {
  return {
    description,
    headers: headerRefs('X-Request-Id'),
    content: { 'application/json': { schema, ...media } },
  };
}

/** Codes that come with Retry-After. */
const comeBackLater: readonly FailureCode[] = ['overloaded', 'rate-limited', 'registry-unavailable'];

/** One answer for each status, from the same table that makes the answers; each of its codes as an example. */
export function problems(...codes: readonly FailureCode[]): Readonly<Record<string, ResponseObject>> {
  return refusals(codes, (failure) => {
    const problem = problemDetailsOf(failure, headers['X-Request-Id'].example as string);
    return { ...problem, detail: `${problem.title}: here it says what to change.` };
  });
}

/** The same with another body than problem details, for routes whose protocol has its own. */
export function refusals(
  codes: readonly FailureCode[],
  example: (failure: Failure) => unknown,
  mediaType = problemMediaType,
  schema = schemaRef('Problem'),
): Readonly<Record<string, ResponseObject>> {
  const answers: Record<string, ResponseObject> = {};
  for (const code of [...codes, 'internal'] as const) {
    const failure = new Failure(code, '');
    const { status, title } = problemDetailsOf(failure);
    const previous = answers[String(status)] as ResponseObject | undefined;
    answers[String(status)] = {
      description: [...(previous ? [previous.description] : []), `\`${code}\`: ${title}.`].join(' '),
      headers: {
        ...previous?.headers,
        ...headerRefs('X-Request-Id', ...(comeBackLater.includes(code) ? ['Retry-After'] : [])),
      },
      content: {
        [mediaType]: {
          schema,
          examples: { ...previous?.content?.[mediaType].examples, [code]: { value: example(failure) } },
        },
      },
    };
  }
  return answers;
}
