/** The key that a server makes for itself where none is configured. */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { silent } from '../../core/progress.js';
import { serverConfigurationSchema } from '../../server/configuration.js';
import { keyOfLocalServer } from '../../server/local-servers.js';
import { createLogger } from '../../server/observability/logger.js';
import { keyFileOf, openOwnKey } from '../../server/own-key.js';
import { startServer } from '../../server/run.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { smallBackbone } from '../../fixtures/small-backbone.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { sendAsIs as send } from '../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const table = join(folder, 'new.csv');
const names = bundle.manifest.attributes.map(({ name }) => name);
writeFileSync(table, `class,${names.join(',')}\ngnu,${names.map((_, k) => (k / 10) % 1).join(',')}\n`);
beforeEach(() => {
  process.env.XDG_STATE_HOME = temporaryFolder(); // also of the commands that are started
  delete process.env.UNSEEN_KEY;
});

async function start(registry: string, more: object = {}) {
  const log: string[] = [];
  const notes: string[] = [];
  const settings = serverConfigurationSchema.parse({ port: 0, threads: 1, registry, ...more });
  const server = await startServer(settings, {
    watcher: { ...silent, note: (line) => notes.push(line) },
    logger: createLogger(settings, { write: (line) => void log.push(line) }),
    load: () => Promise.resolve({ bundle, backbone: smallBackbone() }),
  });
  return { ...server, stop: () => server.stop(0), log, notes };
}
const reload = (url: string, key?: string) =>
  send(`${url}/admin/reload`, {
    method: 'POST',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  });

describe('with a SQLite registry', () => {
  test('it is made once, for this user only, shown once, never logged, and the same after a restart', async () => {
    const file = join(folder, 'birds.db');
    const first = await start(`sqlite:${file}`);
    const key = readFileSync(join(folder, 'birds.key'), 'utf8').trim();
    expect(key.length).toBeGreaterThanOrEqual(40);
    expect(statSync(join(folder, 'birds.key')).mode & 0o777).toBe(0o600);
    expect(first.notes.join('\n')).toContain(key);
    expect((await reload(first.url)).status).toBe(401);
    expect((await reload(first.url, key)).status).toBe(200);
    await first.stop();
    const second = await start(`sqlite:${file}`);
    expect(second.notes.join('\n')).not.toContain(key);
    expect((await reload(second.url, key)).status).toBe(200);
    await second.stop();
    expect([...first.log, ...second.log].join('')).not.toContain(key);
  });

  test('commands of the same user find it by themselves, and for no other server', async () => {
    const { url, stop, ownKey } = await start(`sqlite:${join(folder, 'found.db')}`);
    expect((await unseen('classes', 'add', table, '--url', url)).stdout).toContain('1 added');
    const local = url.replace('127.0.0.1', 'localhost');
    expect((await unseen('classes', 'key', '--url', local)).stdout.trim()).toBe(ownKey!.key);
    expect((await unseen('classes', 'remove', 'gnu', '--url', url)).code).toBe(0);
    process.env.XDG_STATE_HOME = temporaryFolder(); // as another user has it
    const stranger = await unseen('classes', 'add', table, '--url', url);
    expect([stranger.code, stranger.stderr]).toEqual([10, expect.stringContaining('Send a key')]);
    await stop();
  });

  test('the key is offered to nobody elsewhere, nor to whoever listens after the server has ended', async () => {
    const { url, stop, ownKey } = await start('sqlite::memory:');
    const { port } = new URL(url);
    expect(await keyOfLocalServer(url)).toBe(ownKey!.key);
    expect(await keyOfLocalServer(`http://birds.example:${port}`)).toBeUndefined();
    expect(await keyOfLocalServer(`http://10.0.0.1:${port}`)).toBeUndefined();
    const state = join(process.env.XDG_STATE_HOME!, 'unseen', `server-${port}.json`);
    expect(statSync(state).mode & 0o777).toBe(0o600);
    const kept = readFileSync(state, 'utf8');
    await stop();
    expect(existsSync(state)).toBe(false);
    const killed = { ...(JSON.parse(kept) as object), pid: 2 ** 22 + 1 }; // no process has this number
    writeFileSync(state, JSON.stringify(killed));
    expect(await keyOfLocalServer(url)).toBeUndefined();
  });

  test('once it is there it is only read: nothing is written by a start', async () => {
    const readOnly = temporaryFolder();
    const location = { kind: 'sqlite', path: join(readOnly, 'kept.db'), description: '' } as const;
    const made = await openOwnKey(location);
    const { mtimeMs } = statSync(readOnly); // of a folder: changes with every file that comes or goes
    expect(await openOwnKey(location)).toEqual({ ...made, isNew: false });
    expect(statSync(readOnly).mtimeMs).toBe(mtimeMs);
  });

  test('servers that start at the same moment agree on one', async () => {
    const path = join(folder, 'raced.db');
    const location = { kind: 'sqlite', path, description: '' } as const;
    const made = await Promise.all(Array.from({ length: 20 }, () => openOwnKey(location)));
    expect(new Set(made.map((one) => one!.key)).size).toBe(1);
    expect(made.filter((one) => one!.isNew)).toHaveLength(1);
  });

  test.each([
    ['letters that no header has', 'ключ-ключ-ключ-ключ\n'],
    ['two lines', 'a line that is long\nand another one\n'],
  ])('a file of %s is refused, because nobody could send what it holds', async (_what, text) => {
    const odd = temporaryFolder();
    writeFileSync(join(odd, 'odd.key'), text, { mode: 0o600 });
    const location = { kind: 'sqlite', path: join(odd, 'odd.db'), description: '' } as const;
    await expect(openOwnKey(location)).rejects.toThrow('cannot be sent in a header');
  });

  test('a file that others may read is warned of; one that holds no key is refused', async () => {
    const file = join(folder, 'open.db');
    writeFileSync(join(folder, 'open.key'), 'a-key-that-was-copied-here\n', { mode: 0o600 });
    chmodSync(join(folder, 'open.key'), 0o644);
    const { stop, log, url } = await start(`sqlite:${file}`);
    expect(log.join('')).toContain('can be read by other users');
    expect((await reload(url, 'a-key-that-was-copied-here')).status).toBe(200);
    await stop();
    writeFileSync(join(folder, 'open.key'), '\n');
    await expect(start(`sqlite:${file}`)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringMatching(/open\.key.*holds no key.*UNSEEN_ADMIN_KEYS/) as string,
    });
  });

  test('it lies beside the database, whatever that is called', () => {
    expect(keyFileOf('/data/unseen-classes.db')).toBe('/data/unseen-classes.key');
    expect(keyFileOf('/data/classes.sqlite3')).toBe('/data/classes.key');
    expect(keyFileOf('/data/classes.key')).toBe('/data/classes.key.key');
  });
});

test('with configured keys none is made', async () => {
  const settings = { adminKeys: ['a-key-that-is-configured'] };
  const { stop, ownKey } = await start(`sqlite:${join(folder, 'configured.db')}`, settings);
  expect(ownKey).toBeNull();
  expect(existsSync(join(folder, 'configured.key'))).toBe(false);
  await stop();
});

test('listening elsewhere than on loopback without keys is warned of; with keys it is not', async () => {
  // Of access: this small bundle is warned of, too, for the few classes that its calibration rests on.
  const warnings = (log: readonly string[]) =>
    log.filter((line) => line.includes('"level":"warn"') && !line.includes('calibration')).join('');
  const open = await start('sqlite::memory:', { host: '0.0.0.0' });
  expect(warnings(open.log)).toContain('NO KEY IS NEEDED to classify');
  expect(warnings(open.log)).toContain('UNSEEN_ADMIN_KEYS is not set');
  await open.stop();
  const keys = { adminKeys: ['a-key-that-is-configured'], apiKeys: ['another-key-that-is-configured'] };
  const closed = await start('sqlite::memory:', { host: '0.0.0.0', ...keys });
  expect(warnings(closed.log)).toBe('');
  await closed.stop();
});
