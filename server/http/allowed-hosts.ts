/**
 * On loopback only requests for this machine are answered. A page of any site can have its own name resolve to 127.0.0.1 (DNS
 * rebinding) and would then read, as its own, what a server on its reader's machine answers; the Host header gives it away.
 */
import type { RequestHandler } from 'express';
import { Failure } from '../../core/failures.js';

interface HostSettings {
  readonly host: string;
  readonly allowedHosts: readonly string[];
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/i.test(host);
}

/** Refuses other names than those allowed; null when every name is. */
export function allowedHosts({ host, allowedHosts: given }: HostSettings): RequestHandler | null {
  if (given.includes('*') || (given.length === 0 && !isLoopback(host))) return null;
  const names = new Set([...given, host].map((name) => name.toLowerCase()));
  return (request, _response, next) => {
    const name = nameIn(request.headers.host);
    // A proxy in front may go by the last one, we go by the first.
    if ((request.headersDistinct.host?.length ?? 0) > 1)
      throw new Failure('request-invalid', 'The request has more than one Host header.');
    // Only HTTP/1.0 may leave it out, which browsers do not speak.
    if (name !== undefined && !isLoopback(name) && !names.has(name))
      throw new Failure(
        'forbidden',
        'This server does not answer under the host name of this request. Name it in --allowed-hosts, or have the proxy in front send another Host.',
      );
    next();
  };
}

/** Without its port, which tunnels change. */
function nameIn(header: string | undefined): string | undefined {
  return header?.toLowerCase().replace(/:\d*$/, '');
}
