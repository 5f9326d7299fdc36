/**
 * Who changed what: one line with `audit: true` for every attempt to change something. A change is logged when it is made, not
 * when it is answered, so that it is there even when its caller has gone away meanwhile.
 */
import type { Request, Response } from 'express';
import type { ChangeResult } from '../classes/contract.js';
import type { Logger } from '../observability/logger.js';
import { problemDetailsOf } from './problem-details.js';
import { contextOf, isReading } from './request-context.js';

/** Of a change of thousands of classes, so many are named. */
const maxNames = 20;

interface Attempt {
  /** Where it came from: a connection that is closed no longer says so. */
  readonly address: string | undefined;
  isLogged: boolean;
}

const attempts = new WeakMap<Request, Attempt>();

/** Logs the attempt when it is answered, unless the change itself was logged. Of reading, which changes nothing, only refusals are logged. */
export function auditAttempt(request: Request, response: Response): void {
  const attempt = { address: request.ip, isLogged: false };
  attempts.set(request, attempt);
  response.once('close', () => {
    if (attempt.isLogged) return;
    const { statusCode: status, writableFinished } = response;
    const isAnswered = writableFinished && status < 400;
    if (isReading(request) && (isAnswered || !writableFinished)) return;
    if (!writableFinished)
      write(request, { outcome: 'abandoned' }, 'The caller of a change went away before the answer.');
    else if (isAnswered)
      write(request, { outcome: 'unchanged', status }, 'A request to change something changed nothing.');
    else writeRefusal(request, status);
  });
}

/** For a change that goes on whether or not its caller still waits: logged when it ends, not when it is answered. */
export function auditWhenDone<Result>(
  request: Request,
  work: Promise<Result>,
  onDone: (result: Result) => void,
): void {
  attempts.get(request)!.isLogged = true;
  work.then(onDone, (error: unknown) => {
    writeRefusal(request, problemDetailsOf(error).status);
  });
}

export function auditChange(request: Request, { outcomes, groups, revision }: ChangeResult): void {
  const changed = outcomes.filter(({ kind }) => kind !== 'unchanged');
  const classes = changed.slice(0, maxNames).map(({ kind, known, added }) => {
    return { name: known.name, kind, ...(added.length > 0 && { examplesAdded: added.length }) };
  });
  const changedGroups = groups
    .filter(({ kind }) => kind !== 'unchanged')
    .map(({ kind, group }) => ({ name: group.name, kind, classes: group.classes.length }));
  const count = changed.length + changedGroups.length;
  const facts = {
    ...auditedRevisions(count > 0, revision),
    ...{ classes, count: changed.length },
    ...(changedGroups.length > 0 && { groups: changedGroups.slice(0, maxNames) }),
  };
  if (changed.length === 0 && count > 0) write(request, facts, 'Groups of classes were changed.');
  else if (count > 0) write(request, facts, 'Classes were changed.');
  else write(request, facts, 'A request to change classes changed nothing.');
}

/** Each commit is one revision, and a commit without a change of its own leaves the classes as they were. */
export function auditedRevisions(hasChanged: boolean, revision: number) {
  return {
    outcome: hasChanged ? 'changed' : 'unchanged',
    revisionBefore: hasChanged ? revision - 1 : revision,
    revisionAfter: revision,
  };
}

/** A change of another kind than of classes. */
export function auditAct(request: Request, facts: object, message: string): void {
  write(request, facts, message);
}

export function auditReload(
  request: Request,
  { before, after, changed }: { before: string; after: string; changed: boolean },
): void {
  const facts = { outcome: changed ? 'changed' : 'unchanged', modelBefore: before, modelAfter: after };
  write(request, facts, 'The model was loaded again.');
}

/** As SIGHUP asks for it: there is no request, and no key. */
export async function auditReloadBySignal(
  before: string,
  reload: () => Promise<{ readonly version: string; readonly changed: boolean }>,
  logger: Logger,
): Promise<{ readonly version: string; readonly changed: boolean }> {
  const facts = { audit: true, who: 'signal', what: 'reload', modelBefore: before };
  try {
    const reloaded = await reload();
    const outcome = reloaded.changed ? 'changed' : 'unchanged';
    logger.info({ ...facts, outcome, modelAfter: reloaded.version }, 'The model was loaded again.');
    return reloaded;
  } catch (error) {
    logger.info({ ...facts, outcome: 'failed', modelAfter: before }, 'A change failed.');
    throw error;
  }
}

function writeRefusal(request: Request, status: number): void {
  const attempted = isReading(request) ? 'Reading' : 'A change';
  if (status >= 500) write(request, { outcome: 'failed', status }, `${attempted} failed.`);
  else write(request, { outcome: 'refused', status }, `${attempted} was refused.`);
}

function write(request: Request, facts: object, message: string): void {
  const attempt = attempts.get(request)!;
  attempt.isLogged = true;
  const { id, logger, caller, route } = contextOf(request);
  const who = caller?.name ?? null; // null: without a key, or with one that is not known
  const what = `${request.method} ${route}`;
  logger.info(
    { audit: true, requestId: id, who, address: attempt.address, what, target: request.path, ...facts },
    message,
  );
}
