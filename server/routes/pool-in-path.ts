import type { Request } from 'express';
import { Failure } from '../../core/failures.js';
import { poolNameSchema } from '../contract/adaptation-schemas.js';

export function poolInPath(request: Request): string {
  const given = poolNameSchema.safeParse(request.params.name);
  if (given.success) return given.data;
  throw new Failure('request-invalid', `The name of a pool: ${given.error.issues[0].message}.`);
}
