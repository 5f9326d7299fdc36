/** A registry that can be read and not written: changes fail, and it shows, until writing works again. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folders.js';
import { postgresForThisFile } from '../../support/postgres.js';
import { mountSmallDisk } from '../../support/small-disk.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { postPicture, send, startTestServer, type Answered } from '../../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const postgres = postgresForThisFile();
const attributes = bundle.manifest.attributes.map((_, k) => (0.2 + k / 10) % 1);

function create(url: string, name: string): Promise<Answered> {
  const body = JSON.stringify({ name, attributes });
  return send(`${url}/classes`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

/** What operators see of it. */
async function shown(url: string) {
  const page = (await send(`${url}/metrics`)).body as string;
  const sample = (name: string): string | undefined => page.split(`\n${name} `)[1]?.split('\n')[0];
  const { status, body } = await send(`${url}/readyz`);
  return {
    ready: status,
    status: body.status as string,
    reasons: (body.reasons as string[]).join('; '),
    up: sample('unseen_registry_up'),
    writable: sample('unseen_registry_writable'),
  };
}

async function breakAndHeal(
  registry: string,
  { breakIt, heal, reason }: { breakIt: () => unknown; heal: () => unknown; reason: string },
): Promise<void> {
  const { url, log } = await startTestServer({ bundle: () => bundle, settings: { registry } });
  expect((await create(url, 'before')).status).toBe(201);
  expect(await shown(url)).toMatchObject({ status: 'ok', up: '1', writable: '1' });
  await breakIt();
  const refused = await create(url, 'meanwhile');
  expect([refused.status, refused.body.code]).toEqual([503, 'registry-unavailable']);
  const down = { ready: 200, status: 'degraded', up: '1', writable: '0' };
  const end = performance.now() + 8000; // longer than it takes until writing is tried again
  while (performance.now() < end) {
    expect(await shown(url)).toMatchObject(down);
    await sleep(250);
  }
  const { reasons } = await shown(url);
  expect(reasons).toContain(`changes of classes cannot be stored: ${reason}`);
  expect(reasons).not.toMatch(/postgres:|sqlite:|127\.0\.0\.1|\/tmp/); // whoever asks need not know where it is
  expect(log.join('')).toContain('The class registry cannot be written');
  expect((await send(`${url}/classes/before`)).status).toBe(200);
  expect((await postPicture(url)).status).toBe(200);
  expect((await create(url, 'meanwhile')).status).toBe(503);
  await heal();
  await expect
    .poll(() => shown(url), { timeout: 15_000 })
    .toMatchObject({ status: 'ok', reasons: '', up: '1', writable: '1' });
  expect((await create(url, 'meanwhile')).status).toBe(201);
}

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const disk = mountSmallDisk(1536);
// They mostly wait.
describe.concurrent('changes of classes', { timeout: 60_000 }, () => {
  test.skipIf(disk === null)('SQLite on a disk that is full', async () => {
    await breakAndHeal(`sqlite:${disk!.folder}/classes.db`, {
      breakIt: () => {
        disk!.fill();
      },
      heal: () => {
        disk!.free();
      },
      reason: 'the disk of the class registry is full',
    });
  });

  test('PostgreSQL whose disk is full, as it reports it', async () => {
    const registry = await postgres().createDatabase();
    await breakAndHeal(registry, {
      breakIt: () =>
        run(
          registry,
          `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`,
          ...['registry', 'write_probe'].map(
            (table) =>
              `CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${table} EXECUTE FUNCTION full_disk()`,
          ),
        ),
      heal: () => run(registry, 'DROP FUNCTION full_disk CASCADE'),
      reason: 'the disk of the class registry is full',
    });
  });

  test('PostgreSQL in which this user may only read', async () => {
    const owner = await postgres().createDatabase();
    await run(owner, "CREATE ROLE reader LOGIN PASSWORD 'reader'", 'GRANT ALL ON SCHEMA public TO reader');
    const registry = owner.replace(/\/\/[^@]*@/, '//reader:reader@');
    await breakAndHeal(registry, {
      breakIt: () =>
        run(registry, 'REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public FROM reader'),
      heal: () => run(registry, 'GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader'),
      reason: 'the class registry may only be read by this user',
    });
  });
});
