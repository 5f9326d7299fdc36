import { afterAll, beforeAll } from 'vitest';
import { startPostgres, type PostgresServer } from '../../fixtures/postgres-server.js';

/** A PostgreSQL for one test file, gone when the file is done. */
export function postgresForThisFile(): () => PostgresServer {
  let postgres: PostgresServer | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    await postgres?.remove();
  });
  return () => postgres!;
}
