/** The classes of a registry as a server with this bundle has them, for commands that answer by themselves. */
import type { Bundle } from '../../core/bundle/bundle.js';
import { Failure } from '../../core/failures.js';
import type { HeadChange } from '../../core/head/head-change.js';
import type { Logger } from '../observability/logger.js';
import { CatchUp } from './catch-up.js';
import type { KnownClass } from './contract.js';
import { exampleBackbone } from './example.js';
import { RegistryState } from './registry-state.js';
import { isMissing } from './store/location.js';
import { openStore } from './store/open.js';

interface StoredClasses {
  readonly head: HeadChange;
  /** Those that do not compete. */
  readonly unusable: readonly KnownClass[];
}

export async function readClasses(registry: string, bundle: Bundle, logger: Logger): Promise<StoredClasses> {
  if (isMissing(registry))
    throw new Failure(
      'config-invalid',
      `There is no class registry at ${registry}. Name the one of your server, as its --registry does, or leave the option out.`,
    );
  // How long versions are kept is for the server to say: nothing is forgotten here.
  const store = await openStore(registry, { versionMilliseconds: Number.MAX_SAFE_INTEGER });
  try {
    const state = new RegistryState(bundle, { logger, backbone: exampleBackbone(bundle.manifest.backbone) });
    try {
      await new CatchUp(state, store, logger).reload();
      return { head: state.head(), unusable: state.classes.unusable() };
    } finally {
      state.fitting.close();
    }
  } finally {
    await store.close();
  }
}
