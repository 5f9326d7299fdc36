/** What an operator should know at the start: who can reach what without a key, and what travels in plain text. */
import type { Location } from './classes/store/location.js';
import type { ServerConfiguration } from './configuration.js';
import { isLoopback } from './http/allowed-hosts.js';
import type { Logger } from './observability/logger.js';
import type { OwnKey } from './own-key.js';

export async function warnAtStart(
  settings: ServerConfiguration,
  location: Location,
  ownKey: OwnKey | null,
  logger: Logger,
): Promise<void> {
  const { host, adminKeys, apiKeys } = settings;
  if (!isLoopback(host) && apiKeys.length === 0)
    logger.warn(
      { host },
      'NO KEY IS NEEDED to classify and to read classes: everyone who can reach this address may. Set UNSEEN_API_KEYS, or listen on 127.0.0.1.',
    );
  if (adminKeys.length === 0 && ownKey === null)
    logger.warn('Classes cannot be changed here: set UNSEEN_ADMIN_KEYS, the same on every replica.');
  if (!isLoopback(host) && ownKey !== null)
    logger.warn(
      { host },
      'UNSEEN_ADMIN_KEYS is not set, so changes are allowed with the key that this server made for itself.',
    );
  if (ownKey?.isExposed)
    logger.warn(
      { file: ownKey.file },
      'The file with the key for changes can be read by other users: chmod 600.',
    );
  const database = location.kind === 'postgres' ? await plainTextHost(location.url) : null;
  if (database !== null)
    logger.warn(
      { database },
      'PostgreSQL runs on another host, and the connection to it is not encrypted. Add ?sslmode=verify-full to UNSEEN_REGISTRY.',
    );
}

/** By the client of PostgreSQL, which is loaded where there is something to ask. */
async function plainTextHost(url: string): Promise<string | null> {
  const module = await import('./classes/store/postgres/plain-text-host.js');
  return module.plainTextHost(url);
}
