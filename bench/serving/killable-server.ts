/** `unseen serve` that also kills one of its inference workers when its parent sends "kill". */
import { silent } from '../../core/progress.js';
import { readServerConfiguration } from '../../server/read-configuration.js';
import { startServer } from '../../server/run.js';
import { readFlags } from './read-flags.js';

const settings = readServerConfiguration(readFlags(process.argv.slice(3)), process.env);
const server = await startServer(settings, { watcher: silent });
process.on('message', (message) => {
  if (message === 'kill') void server.models.current.inference.killWorker();
});
process.on('SIGINT', () => {
  void server.stop(0).then(() => process.exit(0));
});
