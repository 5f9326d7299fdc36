/** `unseen serve` with the small network in place of a real backbone: it is ready in a moment. */
import { readBundle } from '../../core/bundle/read.js';
import { silent } from '../../core/progress.js';
import { readServerConfiguration } from '../../server/read-configuration.js';
import { startServer } from '../../server/run.js';
import { readFlags } from './read-flags.js';
import { smallBackbone } from '../../fixtures/small-backbone.js';

const settings = readServerConfiguration(readFlags(process.argv.slice(3)), process.env);
const server = await startServer(settings, {
  watcher: silent,
  load: async () => ({ bundle: await readBundle(settings.bundle), backbone: smallBackbone() }),
});
for (const [signal, graceSeconds] of [['SIGINT', 0] as const, ['SIGTERM', settings.graceSeconds] as const])
  process.on(signal, () => {
    void server.stop(graceSeconds).then(() => process.exit(0));
  });
