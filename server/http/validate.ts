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
  const fields = parsed.error.issues.flatMap(withinUnion).flatMap((issue) => {
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

/** Where the value is of one of the kinds that are taken, what is wrong within it; otherwise that it is of none. */
function withinUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const meant = issue.errors.find((kind) => kind.length > 0 && kind.every(({ path }) => path.length > 0));
  return meant
    ? meant.flatMap((one) => withinUnion({ ...one, path: [...issue.path, ...one.path] }))
    : [issue];
}

/** Zod's own words for a wrong type are a programmer's; messages that a schema gives stay. */
function detailOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'this is not known here';
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid '))
    return `${issue.values.map(String).join(' or ')} is expected`;
  if (/^Too (small|big): /.test(issue.message)) return boundOf(issue);
  const received = /^Invalid input: expected \w+, received (\w+)$/.exec(issue.message)?.[1];
  if (issue.code !== 'invalid_type' || received === undefined) return issue.message;
  const expected = inWords[issue.expected] ?? issue.expected;
  return received === 'undefined' ? `it is missing; ${expected} is expected` : `${expected} is expected`;
}

function boundOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return issue.message;
  const { origin, inclusive = true } = issue;
  const bound =
    issue.code === 'too_small'
      ? `${inclusive ? 'at least' : 'more than'} ${issue.minimum}`
      : `${inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
  if (origin === 'string') return `${bound} characters are expected`;
  return origin === 'array' || origin === 'set' ? `${bound} entries are expected` : `${bound} is expected`;
}
