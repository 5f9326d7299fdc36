import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { contextOf } from './request-context.js';

/**
 * Whom shares and rates are counted for: a key by its name, otherwise the address (the network, of IPv6). A key that is not known
 * counts for its address: made-up keys must not get around a limit.
 */
export function callerOf(request: Request): string {
  const { caller } = contextOf(request);
  return caller ? `key ${caller.name}` : `address ${ipKeyGenerator(request.ip ?? '')}`;
}
