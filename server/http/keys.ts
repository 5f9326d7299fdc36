/** Who may do what: changes always need a key; reading and classifying need one where API keys are configured. */
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { Failure } from '../../core/failures.js';
import { auditAttempt } from './audit.js';
import { atLeast, type KeyRing, type Role } from './key-ring.js';
import { contextOf, isReading } from './request-context.js';

/** Notes whose key came with the request, for the log and for rate limits; rejects no request. */
export function identify(keys: KeyRing): RequestHandler {
  return (request, _response, next) => {
    noteCaller(request, keys);
    next();
  };
}

export function noteCaller(request: IncomingMessage, keys: KeyRing): void {
  const given = givenKey(request);
  const caller = given === undefined ? null : keys.find(given);
  if (caller) contextOf(request).caller = caller;
}

/** For what changes nothing: asking by GET needs the role `reading`, pictures need `classifying`. */
export function requireCaller(keys: KeyRing): RequestHandler {
  return (request, _response, next) => {
    if (keys.hasApiKeys) checkRole(request, isReading(request) ? 'reading' : 'classifying');
    next();
  };
}

/** For changes, and for reading what only who may change should see. Every attempt to change leaves a line in the audit log, whether it succeeds or not. */
export function requireAdmin(keys: KeyRing): RequestHandler {
  return (request, response, next) => {
    auditAttempt(request, response);
    if (!keys.hasAdminKey)
      throw new Failure(
        'forbidden',
        'This server has no key that may change anything. Set UNSEEN_ADMIN_KEYS on the server, and send one of them.',
      );
    checkRole(request, 'changing');
    next();
  };
}

function checkRole(request: Request, role: Role): void {
  const { caller } = contextOf(request);
  if (caller && atLeast(caller, role)) return;
  if (caller)
    throw new Failure(
      'forbidden',
      `The key "${caller.name}" has the role ${caller.role}; this needs the role ${role}.`,
    );
  if (givenKey(request) !== undefined) throw new Failure('forbidden', 'This key is not known here.');
  throw new Failure('unauthenticated', 'Send a key as "Authorization: Bearer KEY" or "X-API-Key: KEY".');
}

function givenKey({ headers }: IncomingMessage): string | undefined {
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
  return bearer ?? headers['x-api-key']?.toString();
}
