import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Failure } from '../core/failures.js';
import type { Certificate } from './certificate.js';
import type { ServerConfiguration } from './configuration.js';
import { inTurn } from './http/in-turn.js';

type ListenSettings = Pick<ServerConfiguration, 'host' | 'headerSeconds' | 'bodySeconds'>;

/** By HTTPS where there is a certificate. */
export async function listen(
  app: RequestListener,
  port: number,
  settings: ListenSettings,
  certificate: Certificate | null = null,
): Promise<Server> {
  const options = { connectionsCheckingInterval: 1000 };
  const handle = inTurn(app);
  const server = certificate
    ? createSecureServer(
        // Before it there is no request whose headers could be late: the same limit for both.
        { ...options, ...certificate, handshakeTimeout: settings.headerSeconds * 1000 },
        handle,
      )
    : createServer(options, handle);
  server.headersTimeout = settings.headerSeconds * 1000;
  // The last resort; a slow body is answered by its reader before.
  server.requestTimeout = (settings.headerSeconds + settings.bodySeconds + 5) * 1000;
  server.keepAliveTimeout = 65_000; // longer than balancers keep theirs, so that they do not send into a closing one
  // Clients that send Expect: 100-continue are told to continue only once they are admitted: see receiveBody.
  server.on('checkContinue', handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Failure('config-invalid', explain(error, port, settings.host), { cause: error }));
    });
    server.listen(port, settings.host, resolve);
  });
  return server;
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function explain({ code, message }: NodeJS.ErrnoException, port: number, host: string): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken. Choose another with --port, or 0 for a free one.`;
  if (code === 'EACCES')
    return `Port ${port} may not be opened by this user. Choose one above 1023 with --port.`;
  return `Cannot listen on ${host}:${port}: ${message}`;
}
