import { afterAll, beforeAll } from 'vitest';
import { startPostgres, type OwnPostgres } from '../../bench/registry-postgres.js';

/** A PostgreSQL for one test file, gone when the file is done. */
export function postgresForThisFile(): () => OwnPostgres {
  let postgres: OwnPostgres | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    await postgres?.remove();
  });
  return () => postgres!;
}
