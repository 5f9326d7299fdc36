/** What a server with PostgreSQL says about it, and to whom. */
import { expect, test } from 'vitest';
import { plainTextHost } from '../../server/classes/store/postgres/plain-text-host.js';
import { temporaryFolder } from '../support/folders.js';
import { postgresForThisFile } from '../support/postgres.js';
import { trainSmallBundle } from '../../fixtures/small-bundle.js';
import { sendAsIs as send, startTestServer } from '../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const postgres = postgresForThisFile();

test('without admin keys nobody may change anything, and both the log and the answer say why', async () => {
  const settings = { registry: await postgres().createDatabase(), adminKeys: [] };
  const { url, log } = await startTestServer({ bundle: () => bundle, settings });
  expect(log.join('')).toContain('set UNSEEN_ADMIN_KEYS, the same on every replica');
  const refused = await send(`${url}/admin/reload`, { method: 'POST' });
  expect(refused.status).toBe(403);
  expect(refused.body.detail).toContain('UNSEEN_ADMIN_KEYS');
  expect((await send(`${url}/classes`)).status).toBe(200);
});

test('/readyz says what is wrong with the registry without where it is; the log says all', async () => {
  const registry = await postgres().createDatabase();
  const { url, log } = await startTestServer({ bundle: () => bundle, settings: { registry } });
  await postgres().stop();
  const reasons = async () => (await send(`${url}/readyz`)).body.reasons as string[];
  await expect
    .poll(reasons, { timeout: 15_000 })
    .toContain('the class registry cannot be reached; the log says why');
  const { hostname, port, username, pathname } = new URL(registry);
  // Nor do the routes that read from it, and that anyone may ask.
  const routes = ['classes/any/versions', 'pools', 'pools/any', 'adaptations'];
  const answers = await Promise.all(routes.map((route) => send(`${url}/${route}`)));
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
  const text = [...(await reasons()), ...answers.map(({ body }) => body.detail as string)].join(' ');
  for (const part of [hostname, port, username, pathname.slice(1)]) expect(text).not.toContain(part);
  expect(log.join('')).toContain(`${hostname}:${port}`);
  await postgres().start();
  await expect.poll(reasons, { timeout: 15_000 }).toEqual([]);
  expect(log.join('')).toContain('The class registry can be reached again.');
});

test.each([
  ['postgres://ann:secret@db.example:5432/classes', 'db.example'],
  ['postgres://ann@10.0.0.7/classes?sslmode=disable', '10.0.0.7'],
  ['postgres://ann@db.example/classes?sslmode=verify-full', null],
  ['postgres://ann@db.example/classes?ssl=true', null],
  ['postgres://ann@localhost/classes', null],
  ['postgres://ann@127.0.0.1:5432/classes', null],
  ['postgres://ann@/classes?host=/var/run/postgresql', null],
])('%s is spoken to in plain text elsewhere: %s', (url, host) => {
  expect(plainTextHost(url)).toBe(host);
});
