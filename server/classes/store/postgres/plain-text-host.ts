import pg from 'pg';
import { isLoopback } from '../../../http/allowed-hosts.js';

/** The host of a PostgreSQL elsewhere that is spoken to without TLS, by the client's own reading of address and environment. */
export function plainTextHost(url: string): string | null {
  const { host, ssl } = new pg.Client(url) as unknown as { host: string; ssl: unknown };
  const isHere = host === '' || host.startsWith('/') || isLoopback(host); // a path is a socket of this machine
  return ssl || isHere ? null : host;
}
