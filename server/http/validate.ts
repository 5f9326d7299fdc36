import type { z } from 'zod';
import { Failure, type FailureCode } from '../../core/failures.js';

/** A body can be wrong in a million places; an answer that names them all would be larger than the body. */
const maxProblems = 100;

/** Checks what a client sent; what is wrong is named, each with a JSON pointer. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where: string,
  code: FailureCode = 'request-invalid',
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.flatMap((issue) => {
    const paths =
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    const detail = detailOf(issue);
    return paths.map((path) => ({ pointer: pointerOf(path), detail }));
  });
  const shown = fields.slice(0, maxProblems);
  const list = shown.map(({ pointer, detail }) => `${pointer === '' ? 'it' : pointer}: ${detail}`).join('; ');
  const more = fields.length > shown.length ? ` (and ${fields.length - shown.length} more)` : '';
  throw new Failure(code, `The ${where} cannot be used: ${list}${more}.`, { fields: shown });
}

export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const inWords: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  record: 'an object',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** Zod's own words are a programmer's; messages that a schema gives stay. */
function detailOf(issue: z.core.$ZodIssue): string {
  const { code, message } = issue;
  if (code === 'unrecognized_keys') return 'this is not known here';
  if (code === 'invalid_value' && message.startsWith('Invalid '))
    return `${issue.values.map(String).join(' or ')} is expected`;
  if (code === 'too_small' && message.startsWith('Too small: '))
    return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum} ${unitOf(issue.origin)}expected`;
  if (code === 'too_big' && message.startsWith('Too big: '))
    return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum} ${unitOf(issue.origin)}expected`;
  const received = /^Invalid input: expected \w+, received (\w+)$/.exec(message)?.[1];
  if (code !== 'invalid_type' || received === undefined) return message;
  const expected = inWords[issue.expected] ?? issue.expected;
  return received === 'undefined' ? `it is missing; ${expected} is expected` : `${expected} is expected`;
}

/** What there are too few or too many of. */
function unitOf(origin: string): string {
  if (origin === 'string') return 'characters are ';
  return origin === 'array' ? 'entries are ' : 'is ';
}
