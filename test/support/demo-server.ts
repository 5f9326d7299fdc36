import { join } from 'node:path';
import { Failure } from '../../core/failures.js';
import { projectFolder } from '../../core/project-folder.js';
import { silent } from '../../core/progress.js';
import { serverConfigurationSchema, type ServerConfiguration } from '../../server/configuration.js';
import { startServer, type RunningServer } from '../../server/run.js';
import { atEndOfFile } from './runner/end-of-file.js';
import { silentLogger } from './silent-logger.js';
import { testKey } from './test-server.js';

/** A real server with the demonstration bundle and its real backbone; null only where npm cannot reach the backbone at all. */
export async function startDemoServer(own: Partial<ServerConfiguration> = {}): Promise<RunningServer | null> {
  const settings = serverConfigurationSchema.parse({
    bundle: join(projectFolder(), 'models', 'demo'),
    port: 0,
    registry: 'sqlite::memory:',
    adminKeys: [testKey],
    ...own,
  });
  try {
    const server = await startServer(settings, { watcher: silent, logger: silentLogger().logger });
    atEndOfFile(() => server.stop(0));
    return server;
  } catch (error) {
    if (error instanceof Failure && error.code === 'backbone-unavailable') {
      console.warn(`What needs the demonstration is skipped: ${error.message}`);
      return null;
    }
    throw error;
  }
}
