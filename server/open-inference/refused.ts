import { Failure } from '../../core/failures.js';

/** Something about the one input: which part of it, and what is wrong there. */
export function refused(pointer: string, detail: string): Failure {
  return new Failure('request-invalid', `The input cannot be used: ${detail}.`, {
    fields: [{ pointer: `/inputs/0${pointer}`, detail }],
  });
}
