/** If-Registry-Revision: a client that has changed something may ask to be answered with at least that state. */
import type { RequestHandler } from 'express';
import { Failure } from '../../core/failures.js';
import type { Classes } from '../classes/contract.js';

/** Replicas learn of a change within two seconds. */
const patience = 3000;

export function atLeastRevision(classes: Classes): RequestHandler {
  return async (request, _response, next) => {
    const wanted = request.header('if-registry-revision');
    if (wanted !== undefined) {
      if (!/^\d{1,15}$/.test(wanted))
        throw new Failure(
          'request-invalid',
          'If-Registry-Revision must be a whole number, as registryRevision in answers is.',
        );
      await classes.reach(Number(wanted), AbortSignal.timeout(patience));
    }
    next();
  };
}
