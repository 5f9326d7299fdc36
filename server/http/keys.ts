/** Who may do what: keys, compared in constant time, and loopback where no key is set for changes. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { Failure } from '../../core/failures.js';

export interface KeySettings {
  readonly adminKeys: readonly string[];
  readonly apiKeys: readonly string[];
}

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Whether the key given is one of those known; takes as long for a near miss as for nonsense. */
export function keyMatches(given: string, known: readonly Buffer[]): boolean {
  const found = digest(given);
  let matches = false;
  for (const candidate of known) matches = timingSafeEqual(found, candidate) || matches;
  return matches;
}

/** For reading and classifying: open, unless keys are set. */
export function requireCaller({ adminKeys, apiKeys }: KeySettings): RequestHandler {
  const known = [...apiKeys, ...adminKeys].map(digest);
  return (request, _response, next) => {
    if (apiKeys.length > 0) checkKey(request, known);
    next();
  };
}

/** For changes: an admin key; without any set, only callers on this very machine. */
export function requireAdmin({ adminKeys }: KeySettings): RequestHandler {
  const known = adminKeys.map(digest);
  return (request, _response, next) => {
    if (adminKeys.length > 0) checkKey(request, known);
    else if (!isLocal(request))
      throw new Failure(
        'forbidden',
        'No admin key is configured, so only callers on the same machine may change anything. Set UNSEEN_ADMIN_KEYS on the server.',
      );
    next();
  };
}

function checkKey(request: Request, known: readonly Buffer[]): void {
  const bearer = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const given = bearer ?? request.header('x-api-key');
  if (given === undefined)
    throw new Failure('unauthenticated', 'Send a key as "Authorization: Bearer KEY" or "X-API-Key: KEY".');
  if (!keyMatches(given, known))
    throw new Failure('forbidden', 'This key is not known here, or may not do this.');
}

/**
 * The other end of the socket is this machine, nothing was forwarded by a proxy, and no page of another site is behind it:
 * a browser tells the origin of a page, and a page from elsewhere must not reach into a server on its reader's machine.
 */
function isLocal(request: Request): boolean {
  const address = request.socket.remoteAddress ?? '';
  const loopback = address === '::1' || /^(::ffff:)?127\./.test(address);
  const forwarded = 'x-forwarded-for' in request.headers || 'forwarded' in request.headers;
  const { origin, host } = request.headers;
  const samePage = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  const localName = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(host ?? '');
  return loopback && !forwarded && samePage && localName;
}
