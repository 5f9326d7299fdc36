import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { contextOf } from './request-context.js';

/**
 * Whom shares and rates are counted for: a key by its name, otherwise the address (the network, of IPv6). A key that is not known
 * counts for its address: made-up keys must not get around a limit.
 */
export function callerOf(request: Request): string {
  return callerAt(request, request.ip);
}

export function callerAt(request: IncomingMessage, address: string | undefined): string {
  const { caller } = contextOf(request);
  return caller ? `key ${caller.name}` : `address ${ipKeyGenerator(address ?? '')}`;
}

/** The same as Express's `request.ip`, for a request that Express has not seen: so many proxies are believed. */
export function addressOf({ headers, socket }: IncomingMessage, trustProxy: number): string | undefined {
  const { remoteAddress } = socket;
  const forwarded = headers['x-forwarded-for'];
  if (trustProxy === 0 || forwarded === undefined) return remoteAddress;
  const before = String(forwarded)
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')
    .reverse(); // nearest first
  return [remoteAddress, ...before][Math.min(trustProxy, before.length)];
}
