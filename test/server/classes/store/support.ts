import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type {
  RegistryCommit,
  ClassStore,
  Position,
  StoreOptions,
} from '../../../../server/classes/store/contract.js';
import { openStore } from '../../../../server/classes/store/open.js';
import { temporaryFolder } from '../../../support/folders.js';
import { postgresForThisFile } from '../../../support/postgres.js';

interface Kind {
  readonly kind: string;
  /** The address of a registry that does not exist yet. */
  readonly freshUrl: () => Promise<string>;
}

/** Both databases, for describe.each: what holds for one must hold for the other. */
export function bothKinds(): Kind[] {
  const folder = temporaryFolder();
  const postgres = postgresForThisFile();
  return [
    { kind: 'SQLite', freshUrl: () => Promise.resolve(`sqlite:${join(folder, randomUUID(), 'classes.db')}`) },
    { kind: 'PostgreSQL', freshUrl: () => postgres().createDatabase() },
  ];
}

/** Opens stores that are closed after each test. */
export function storesOfThisFile(): (url: string, options?: StoreOptions) => Promise<ClassStore> {
  const opened: ClassStore[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  return async (url, options) => {
    const store = await openStore(url, options);
    opened.push(store);
    return store;
  };
}

export async function committed(
  store: ClassStore,
  change: RegistryCommit,
  expected?: Position,
): Promise<Position> {
  const result = await store.commit(change, expected ?? (await store.load('any')).position);
  if (result.kind !== 'committed') throw new Error(`the commit was ${result.kind}`);
  return result.position;
}

export async function eventually(
  claim: () => boolean | Promise<boolean>,
  milliseconds: number,
): Promise<void> {
  const until = Date.now() + milliseconds;
  while (!(await claim())) {
    if (Date.now() > until) throw new Error(`not within ${milliseconds} ms: ${claim.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const zebra = { name: 'zebra', attributes: { stripes: 1, hooves: 1, 'a "quoted" name': 1 / 3 } };
export const okapi = { name: 'Okapi', attributes: { stripes: 0.5, hooves: 1 } };
export const weights = new Float32Array([1, -2, 1e-30, 3.4028234663852886e38]);
