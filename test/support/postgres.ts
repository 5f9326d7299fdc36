import { beforeAll } from 'vitest';
import { startPostgres, type PostgresServer } from '../../fixtures/postgres-server.js';
import { atEndOfFile } from './runner/end-of-file.js';

/** A PostgreSQL for one test file, gone when the file is done. */
export function postgresForThisFile(): () => PostgresServer {
  let postgres: PostgresServer | undefined;
  beforeAll(async () => {
    const started = await startPostgres();
    atEndOfFile(() => started.remove()); // after the servers that use it, which begin later
    postgres = started;
  });
  return () => postgres!;
}
