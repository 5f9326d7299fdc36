/** Why a class cannot be created or changed as a request asks. */
import { Failure } from '../../core/failures.js';
import type { KnownClass } from './contract.js';

export function checkChangeable({ name, runtime, etag }: KnownClass, ifMatch: string | undefined): void {
  if (!runtime)
    throw new Failure(
      'conflict',
      `"${name}" belongs to the model, which was trained with it; it cannot be changed here.`,
    );
  if (ifMatch === undefined)
    throw new Failure(
      'precondition-required',
      `"${name}" exists. Send If-Match with the ETag that GET answered, or * to change whatever is there.`,
    );
  if (ifMatch !== '*' && ifMatch !== etag) throw hasChanged(name);
}

export function hasChanged(name: string): Failure {
  return new Failure(
    'precondition-failed',
    `"${name}" has changed since it was read. Read it again, then decide.`,
  );
}

export function existsAlready({ name, runtime }: KnownClass, index: number | null): Failure {
  const path = `/classes/${encodeURIComponent(name)}`;
  return new Failure(
    'conflict',
    runtime
      ? `A class "${name}" exists with other attributes. Replace it with PUT ${path}, or choose another name.`
      : `"${name}" belongs to the model, which has other attributes of it. Choose another name, or add pictures of it: POST ${path}/examples.`,
    {
      fields: [
        {
          pointer: index === null ? '/name' : `/classes/${index}/name`,
          detail: 'exists with other attributes',
        },
      ],
    },
  );
}
