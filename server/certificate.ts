/** The certificate for HTTPS, from files that may be replaced while the server runs. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import { Failure } from '../core/failures.js';
import type { ServerConfiguration } from './configuration.js';
import type { Logger } from './observability/logger.js';

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

type TlsSettings = Pick<ServerConfiguration, 'tlsCertificate' | 'tlsKey'>;

/** Null where none is configured. Checks that the two can be read and belong together. */
export async function readCertificate({ tlsCertificate, tlsKey }: TlsSettings): Promise<Certificate | null> {
  if (tlsCertificate === undefined || tlsKey === undefined) return null;
  try {
    const [cert, key] = await Promise.all([readFile(tlsCertificate), readFile(tlsKey)]);
    createSecureContext({ cert, key });
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      throw new Error('the key belongs to another certificate');
    return { cert, key };
  } catch (error) {
    const message = `The TLS certificate ${tlsCertificate} with the key ${tlsKey} cannot be used: ${(error as Error).message}.`;
    throw new Failure('config-invalid', message, { cause: error });
  }
}

/** For connections from now on; on failure the certificate that is in use stays. */
export async function reloadCertificate(
  server: Server,
  settings: TlsSettings,
  logger: Logger,
): Promise<void> {
  try {
    const certificate = await readCertificate(settings);
    if (!certificate || !(server instanceof SecureServer)) return;
    server.setSecureContext(certificate);
    logCertificate(certificate, logger);
  } catch (error) {
    logger.error({ err: error }, 'The new TLS certificate cannot be used; still serving the previous one.');
  }
}

export function logCertificate({ cert }: Certificate, logger: Logger): void {
  const { subject, validTo } = new X509Certificate(cert);
  const facts = { subject, validTo };
  if (Date.parse(validTo) < Date.now()) logger.warn(facts, 'The TLS certificate has expired.');
  else logger.info(facts, 'TLS certificate loaded.');
}
