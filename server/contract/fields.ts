/** Fields that several parts of the contract have. */
import { z } from 'zod';
import { problemOfName } from '../../core/class-name.js';

export const maxClassesPerRequest = 10_000;
const maxClassNameLength = 200;

export const nameSchema = z
  .string('a text is expected')
  .normalize('NFC')
  .min(1, 'a name is needed')
  .max(maxClassNameLength, `at most ${maxClassNameLength} characters`)
  .superRefine((name, context) => {
    const problem = name === '' ? null : problemOfName(name); // the empty one is reported already
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .describe('Unique, case-sensitive; stored in Unicode normal form C. Every character must be visible.');

export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');

export const wholeNumberParameter = (min: number, max: number) => {
  const expected = `a whole number from ${min} to ${max} is expected`;
  return z
    .string()
    .regex(/^\d{1,15}$/, expected)
    .transform(Number)
    .pipe(z.int().min(min, expected).max(max, expected));
};
