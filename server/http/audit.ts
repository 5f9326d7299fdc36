/**
 * Who changed what: one line with `audit: true` for every attempt to change something. A change is logged when it is made, not
 * when it is answered, so that it is there even when its caller has gone away meanwhile.
 */
import type { Request, Response } from 'express';
import type { ChangeResult } from '../classes/contract.js';
import type { Logger } from '../observability/logger.js';
import { contextOf } from './request-context.js';

/** Of a change of thousands of classes, so many are named. */
const maxNames = 20;

const logged = new WeakSet<Request>();

/** Logs the attempt when it is answered, unless the change itself was logged. */
export function auditAttempt(request: Request, response: Response): void {
  response.once('close', () => {
    if (logged.has(request)) return;
    const { statusCode: status, writableFinished } = response;
    if (!writableFinished)
      write(request, { outcome: 'abandoned' }, 'The caller of a change went away before the answer.');
    else if (status >= 500) write(request, { outcome: 'failed', status }, 'A change failed.');
    else if (status >= 400) write(request, { outcome: 'refused', status }, 'A change was refused.');
    else write(request, { outcome: 'unchanged', status }, 'A request to change something changed nothing.');
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
  // Each commit is one revision, and a commit without a change of its own leaves the classes as they were.
  const before = count > 0 ? revision - 1 : revision;
  const facts = {
    ...{ classes, count: changed.length },
    ...(changedGroups.length > 0 && { groups: changedGroups.slice(0, maxNames) }),
    ...{ revisionBefore: before, revisionAfter: revision },
  };
  if (changed.length === 0 && count > 0)
    write(request, { outcome: 'changed', ...facts }, 'Groups of classes were changed.');
  else if (count > 0) write(request, { outcome: 'changed', ...facts }, 'Classes were changed.');
  else write(request, { outcome: 'unchanged', ...facts }, 'A request to change classes changed nothing.');
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

function write(request: Request, facts: object, message: string): void {
  logged.add(request);
  const { id, logger, caller, route } = contextOf(request);
  const who = caller?.name ?? null; // null: without a key, or with one that is not known
  const what = `${request.method} ${route}`;
  logger.info(
    { audit: true, requestId: id, who, address: request.ip, what, target: request.path, ...facts },
    message,
  );
}
