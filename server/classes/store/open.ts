/** Opens a store by its URL, with its schema in place. */
import type { ClassStore, StoreOptions } from './contract.js';
import type { Database } from './database.js';
import { locationOf } from './location.js';
import { PostgresDatabase } from './postgres/database.js';
import { RegistryStore } from './registry-store.js';
import { migrate } from './schema.js';
import { SqliteDatabase } from './sqlite/database.js';

export async function openStore(url: string, options: StoreOptions = {}): Promise<ClassStore> {
  const location = locationOf(url);
  const { description } = location;
  const database: Database =
    location.kind === 'sqlite'
      ? new SqliteDatabase(location.path, description)
      : new PostgresDatabase(location.url, description);
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
