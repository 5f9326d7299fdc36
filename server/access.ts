/** Who may use a server that starts: its keys, the one it makes for itself included, and what to warn of. */
import type { Watcher } from '../core/progress.js';
import { locationOf } from './classes/store/location.js';
import type { ServerConfiguration } from './configuration.js';
import { KeyRing } from './http/key-ring.js';
import { announceServer } from './local-servers.js';
import type { Logger } from './observability/logger.js';
import { openOwnKey, type OwnKey } from './own-key.js';
import { warnAtStart } from './start-warnings.js';

interface ServerAccess {
  readonly keys: KeyRing;
  /** Null where keys are configured, or where the server may make none. */
  readonly ownKey: OwnKey | null;
  /** Lets commands of this user find the key that the server made for itself; returns what ends that. */
  readonly announce: (port: number) => Promise<() => Promise<void>>;
}

export async function openAccess(
  settings: ServerConfiguration,
  watcher: Watcher,
  logger: Logger,
): Promise<ServerAccess> {
  const location = locationOf(settings.registry);
  const ownKey = settings.adminKeys.length > 0 ? null : await openOwnKey(location);
  if (ownKey?.file) showKey(ownKey, watcher, logger);
  await warnAtStart(settings, location, ownKey, logger);
  return {
    keys: new KeyRing(settings, ownKey?.key),
    ownKey,
    announce: async (port) => {
      const nothing = (): Promise<void> => Promise.resolve();
      if (!ownKey) return nothing;
      return announceServer(port, ownKey.key).catch((error: unknown) => {
        logger.warn(
          { err: error },
          'Commands on this machine will not find the key for changes by themselves.',
        );
        return nothing;
      });
    },
  };
}

/** A key that was just made is shown once, to whoever started the server; the log never has it. */
function showKey({ key, file, isNew }: OwnKey, watcher: Watcher, logger: Logger): void {
  logger.info({ file }, 'Changes need the key in this file, because UNSEEN_ADMIN_KEYS is not set.');
  if (isNew)
    watcher.note(`A key for changes was made. It is kept in ${file}, and not shown again:\n  ${key}`);
}
