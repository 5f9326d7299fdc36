/** If-Registry-Revision: a client that has changed something may ask to be answered with at least that state. */
import type { Request } from 'express';
import { Failure } from '../../core/failures.js';
import type { Classes } from '../classes/contract.js';

/** Replicas learn of a change within two seconds. */
const patienceMilliseconds = 3000;

/** Resolves when the classes are at the revision that the request asks for, if it asks for one. */
export async function awaitRevision(request: Request, classes: Classes): Promise<void> {
  const wanted = request.header('if-registry-revision');
  if (wanted === undefined) return;
  if (!/^\d{1,15}$/.test(wanted))
    throw new Failure(
      'request-invalid',
      'If-Registry-Revision must be a whole number, as registryRevision in answers is.',
    );
  await classes.reach(Number(wanted), AbortSignal.timeout(patienceMilliseconds));
}
