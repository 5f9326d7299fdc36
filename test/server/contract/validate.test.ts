import { expect, test } from 'vitest';
import { z } from 'zod';
import { Failure } from '../../../core/failures.js';
import { flag, nameSchema, wholeNumberParameter } from '../../../server/contract/fields.js';
import { validate } from '../../../server/http/validate.js';

test.each<[z.ZodType, unknown, string]>([
  [z.object({ a: flag }), { a: 'yes' }, '/a: true or false is expected'],
  [z.object({ a: wholeNumberParameter(1, 1000) }), { a: '0' }, 'a whole number from 1 to 1000 is expected'],
  [
    z.object({ a: wholeNumberParameter(1, 1000) }),
    { a: '9999' },
    'a whole number from 1 to 1000 is expected',
  ],
  [z.object({ a: z.number().min(2) }), { a: 1 }, '/a: at least 2 is expected'],
  [z.object({ a: z.number().lt(2) }), { a: 2 }, '/a: less than 2 is expected'],
  [z.array(z.number()).max(1), [1, 2], 'it: at most 1 entries are expected'],
  [z.object({ a: z.string() }), {}, '/a: it is missing; text is expected'],
  [z.object({ a: z.enum(['x', 'y']) }), { a: 3 }, '/a: x or y is expected'],
  [nameSchema, ' ', 'it: a name is needed'],
])('what is wrong is told in plain words (%#)', (schema, value, words) => {
  expect(() => validate(schema, value, 'query')).toThrow(Failure);
  expect(() => validate(schema, value, 'query')).toThrow(words);
});
