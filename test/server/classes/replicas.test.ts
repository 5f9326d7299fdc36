import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folders.js';
import { postgresForThisFile } from '../../support/postgres.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { postPicture, send, startTestServer, type Answered } from '../../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { bundle: second } = await trainSmallBundle(folder, 2);
const postgres = postgresForThisFile();
const vector = (value: number): number[] => bundle.manifest.attributes.map((_, k) => (value + k / 10) % 1);

function create(url: string, name: string, value: number): Promise<Answered> {
  return send(`${url}/classes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, attributes: vector(value) }),
  });
}

/** Everything that a replica answers about a picture, on at least this revision. */
async function scores(url: string, revision: number): Promise<unknown> {
  const { headers, body } = await send(`${url}/classes`, {
    headers: { 'if-registry-revision': String(revision) },
  });
  expect(headers.get('content-type')).toContain('json');
  expect(body.registryRevision).toBeGreaterThanOrEqual(revision);
  return (await postPicture(url, 3, '?topK=1000')).body.predictions;
}

describe('three servers on one PostgreSQL', () => {
  test('fifty clients race for one name: one 201, the rest 200 or 409; then all replicas answer alike', async () => {
    const settings = { registry: await postgres().createDatabase() };
    const replicas = await Promise.all(
      [1, 2, 3].map(() => startTestServer({ bundle: () => bundle, settings })),
    );
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => create(replicas[i % 3].url, 'raced for', i % 2 === 0 ? 0.2 : 0.5)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([200, 201, 409]));
    await Promise.all(Array.from({ length: 9 }, (_, i) => create(replicas[i % 3].url, `class ${i}`, i / 10)));

    await postgres().stop();
    const down = await create(replicas[0].url, 'while down', 0.9);
    expect([down.status, down.body.code]).toEqual([503, 'registry-unavailable']);
    expect((await postPicture(replicas[0].url)).status).toBe(200);
    const ready = await send(`${replicas[0].url}/readyz`);
    expect(ready).toMatchObject({ status: 200, body: { status: 'degraded' } });
    expect(ready.body.reasons[0]).toContain('registry cannot be reached');
    await postgres().start();
    for (const { url } of replicas)
      // each finds out for itself
      await expect.poll(async () => (await send(`${url}/readyz`)).body).toMatchObject({ status: 'ok' });
    expect((await create(replicas[1].url, 'after', 0.8)).status).toBe(201);

    const { status, body } = await create(replicas[2].url, 'last', 0.7);
    expect(status).toBe(201);
    const revision = body.registryRevision as number;
    await expect
      .poll(async () => (await send(`${replicas[0].url}/classes`)).body.registryRevision as number, {
        timeout: 10_000,
      })
      .toBeGreaterThanOrEqual(revision);
    const [first, ...others] = await Promise.all(replicas.map(({ url }) => scores(url, revision)));
    for (const other of others) expect(other).toEqual(first);
  });

  test('a change reaches the others by itself, or at once when it is asked for', async () => {
    const settings = { registry: await postgres().createDatabase() };
    const [here, there] = await Promise.all(
      [1, 2].map(() => startTestServer({ bundle: () => bundle, settings })),
    );
    const { body } = await create(here.url, 'seen elsewhere', 0.33);
    const asked = await send(`${there.url}/classes/seen%20elsewhere`, {
      headers: { 'if-registry-revision': String(body.registryRevision) },
    });
    expect(asked.status).toBe(200);
    await create(here.url, 'another', 0.44);
    await expect
      .poll(async () => (await send(`${there.url}/classes/another`)).status, { timeout: 15_000 })
      .toBe(200);
  });

  test('replicas with another bundle fit the same classes for themselves', async () => {
    const settings = { registry: await postgres().createDatabase() };
    const old = await startTestServer({ bundle: () => bundle, settings });
    const made = await create(old.url, 'for both', 0.25);
    const fresh = await startTestServer({ bundle: () => second, settings });
    const answer = await postPicture(fresh.url, 1, '?topK=1000');
    expect(answer.body.model.version).toBe(second.identity);
    expect(answer.body.predictions.map((one: { class: string }) => one.class)).toContain('for both');
    const { body } = await create(fresh.url, 'by the new one', 0.65);
    expect(body.registryRevision).toBeGreaterThan(made.body.registryRevision as number);
    await expect
      .poll(
        async () =>
          (await postPicture(old.url, 1, '?topK=1000')).body.predictions.map(
            (one: { class: string }) => one.class,
          ) as string[],
        { timeout: 5000 },
      )
      .toContain('by the new one');
  });
});

describe('SQLite', () => {
  test('what was acknowledged is there after a restart, with the same scores', async () => {
    const settings = { registry: `sqlite:${join(folder, 'kept', 'classes.db')}` };
    const before = await startTestServer({ bundle: () => bundle, settings });
    for (let i = 0; i < 5; i++) await create(before.url, `kept ${i}`, i / 6);
    const expected = await scores(before.url, 0);
    await before.stop(0);
    const after = await startTestServer({ bundle: () => bundle, settings });
    expect(await scores(after.url, 5)).toEqual(expected);
    await after.stop(0);
  });

  test('a new bundle takes the stored classes over, while serving and without a failed request', async () => {
    const settings = { registry: `sqlite:${join(folder, 'taken-over.db')}` };
    let current = bundle;
    const server = await startTestServer({ bundle: () => current, settings });
    await create(server.url, 'stays', 0.4);
    current = second;
    let going = true;
    const statuses = new Set<number>();
    const classes = new Set<boolean>();
    const load = (async () => {
      while (going) {
        const { status, body } = await postPicture(server.url, 1, '?topK=1000');
        statuses.add(status);
        classes.add(body.predictions.some((one: { class: string }) => one.class === 'stays') as boolean);
      }
    })();
    expect((await send(`${server.url}/admin/reload`, { method: 'POST' })).body.changed).toBe(true);
    await sleep(100);
    going = false;
    await load;
    expect(statuses).toEqual(new Set([200]));
    expect(classes).toEqual(new Set([true]));
    expect((await create(server.url, 'added later', 0.6)).status).toBe(201);
  });

  test('a class whose attributes the bundle does not have is shown as unusable, and does not compete', async () => {
    const registry = `sqlite:${join(folder, 'mismatch.db')}`;
    const server = await startTestServer({ bundle: () => bundle, settings: { registry } });
    await create(server.url, 'odd', 0.4);
    await server.stop(0);
    const renamed = {
      ...bundle,
      identity: 'f'.repeat(64),
      manifest: {
        ...bundle.manifest,
        attributes: bundle.manifest.attributes.map((one, k) =>
          k === 0 ? { ...one, name: 'something new' } : one,
        ),
      },
    };
    const other = await startTestServer({ bundle: () => renamed, settings: { registry } });
    const { body } = await send(`${other.url}/classes/odd`);
    expect(body.unusable).toContain('something new');
    const { body: answer } = await postPicture(other.url, 1, '?topK=1000');
    expect(answer.predictions.map((one: { class: string }) => one.class)).not.toContain('odd');
    expect(other.log.join('')).toContain('A stored class cannot be used with this bundle.');
  });
});
