/** Opens a store by its URL, with its schema in place. */
import type { ClassStore, StoreOptions } from './contract.js';
import type { Database } from './database.js';
import { locationOf, type Location } from './location.js';
import { RegistryStore } from './registry-store.js';
import { migrate } from './schema.js';
import { SqliteDatabase } from './sqlite/database.js';

export async function openStore(url: string, options: StoreOptions = {}): Promise<ClassStore> {
  const location = locationOf(url);
  const { description } = location;
  const database = await openDatabase(location);
  try {
    await migrate(database, description);
    const store = new RegistryStore(database, description, options);
    await store.start();
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The client of PostgreSQL is loaded where there is something to connect to: it takes a tenth of a start. */
async function openDatabase(location: Location): Promise<Database> {
  if (location.kind === 'sqlite') return new SqliteDatabase(location.path, location.description);
  const { PostgresDatabase } = await import('./postgres/database.js');
  return new PostgresDatabase(location.url, location.description);
}
