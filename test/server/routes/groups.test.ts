import { describe, expect, test } from 'vitest';
import { groupListSchema, groupSchema, storedGroupSchema } from '../../../server/contract/group-schemas.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { temporaryFolder } from '../../support/folders.js';
import { send, sendAsIs, startTestServer, type Answered } from '../../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const server = await startTestServer({ bundle: () => bundle });
const { url } = server;
const [first, second, third, fourth] = bundle.manifest.classes.map(({ name }) => name).toSorted();
const vector = (value: number): number[] => bundle.manifest.attributes.map((_, k) => (value + k / 10) % 1);

const at = (name: string): string => `${url}/groups/${encodeURIComponent(name)}`;
const json = (method: string, body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const put = (name: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> =>
  send(at(name), json('PUT', body, headers));
const addClass = (name: string, value: number): Promise<Answered> =>
  send(`${url}/classes`, json('POST', { name, attributes: vector(value) }));

describe('/groups', () => {
  test('a group is made, read, replaced with its ETag, and removed', async () => {
    const made = await put('mine', { classes: [second, first, second] });
    expect(made.status).toBe(201);
    expect(storedGroupSchema.parse(made.body)).toEqual(made.body);
    expect(made.body).toMatchObject({ name: 'mine', family: null, classes: [first, second], size: 2 });
    expect(made.headers.get('location')).toBe('/groups/mine');
    expect(made.headers.get('etag')).toBe(`"${made.body.etag}"`);
    const got = await send(at('mine'));
    expect(groupSchema.parse(got.body)).toEqual(got.body);
    expect(got.body.revision).toBe(made.body.registryRevision);

    expect((await put('mine', { classes: [first, second] })).status).toBe(200); // the same again, in another order
    expect((await put('mine', { classes: [third] })).status).toBe(428);
    expect((await put('mine', { classes: [third] }, { 'if-match': '"other"' })).status).toBe(412);
    const replaced = await put('mine', { classes: [third] }, { 'if-match': `"${made.body.etag}"` });
    expect([replaced.status, replaced.body.classes]).toEqual([200, [third]]);
    expect(replaced.body.registryRevision).toBe(Number(made.body.registryRevision) + 1);
    expect(replaced.body.createdAt).toBe(made.body.createdAt);
    expect((await put('absent', { classes: [first] }, { 'if-match': '"some"' })).status).toBe(412);

    expect((await send(at('mine'), { method: 'DELETE' })).status).toBe(428);
    const gone = await send(at('mine'), { method: 'DELETE', headers: { 'if-match': '*' } });
    expect([gone.status, gone.headers.get('registry-revision')]).toEqual([
      204,
      String(Number(replaced.body.registryRevision) + 1),
    ]);
    expect((await send(at('mine'))).status).toBe(404);
    expect((await send(at('mine'), { method: 'DELETE', headers: { 'if-match': '*' } })).status).toBe(404);
  });

  test('a body of the wrong form is refused in words that name no attributes and no types of a program', async () => {
    const { status, body } = await put('form', { classes: 'x' });
    expect([status, body.code, body.title]).toEqual([422, 'attributes-invalid', 'The body does not fit']);
    expect(body.errors).toEqual([{ pointer: '/classes', detail: 'a list is expected' }]);
    const empty = await put('form', {});
    expect(empty.body.errors).toEqual([{ pointer: '/classes', detail: 'it is missing; a list is expected' }]);
  });

  test('a class that is not there is refused with the names that look like it', async () => {
    const wrong = `${first}x`;
    const { status, body } = await put('typo', { classes: [second, wrong] });
    expect([status, body.code]).toEqual([422, 'class-unknown']);
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].pointer).toBe('/classes/1');
    expect(body.errors[0].detail).toContain(`there is no class "${wrong}". Did you mean "${first}"`);
    expect((await send(at('typo'))).status).toBe(404);
  });

  test('a group needs classes, a good name, and a key that may change things', async () => {
    expect((await put('empty', { classes: [] })).status).toBe(422);
    expect((await put('extra', { classes: [first], color: 1 })).status).toBe(422);
    expect((await put('a\u200bb', { classes: [first] })).status).toBe(400);
    expect((await sendAsIs(at('keyless'), json('PUT', { classes: [first] }))).status).toBe(401);
    expect((await send(`${url}/groups`, { method: 'POST' })).status).toBe(405);
  });

  test('an Idempotency-Key answers a repeat from memory', async () => {
    const key = { 'idempotency-key': 'one' };
    const made = await put('once', { classes: [first] }, key);
    const again = await put('once', { classes: [first] }, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(again.body).toEqual(made.body);
    expect((await put('once', { classes: [second] }, key)).body.code).toBe('idempotency-key-reused');
  });

  test('a class that is removed leaves its groups in the same revision', async () => {
    await addClass('leaving', 0.3);
    await put('left', { classes: ['leaving', first] });
    const removed = await send(`${url}/classes/leaving`, {
      method: 'DELETE',
      headers: { 'if-match': '*' },
    });
    const revision = Number(removed.headers.get('registry-revision'));
    const { body } = await send(at('left'));
    expect(body).toMatchObject({ classes: [first], revision });
    // It comes back as another class: nobody has said that it belongs there.
    await addClass('leaving', 0.3);
    expect((await send(at('left'))).body.classes).toEqual([first]);
  });

  test('requests that race for a class and its group leave no group with a class that is gone', async () => {
    await addClass('raced', 0.4);
    const [made] = await Promise.all([
      put('racing', { classes: ['raced', first] }),
      send(`${url}/classes/raced`, { method: 'DELETE', headers: { 'if-match': '*' } }),
    ]);
    const { status, body } = await send(at('racing'));
    // Either came first: the group then lost the class again, or was never made.
    const wasMade = made.status === 201;
    expect([made.status, status, body.classes]).toEqual(
      wasMade ? [201, 200, [first]] : [422, 404, undefined],
    );
  });

  test('a class is in one group of a family at most', async () => {
    await put('north', { classes: [first, second], family: 'region' });
    const clash = await put('south', { classes: [second, third], family: 'region' });
    expect([clash.status, clash.body.code]).toEqual([409, 'conflict']);
    expect(clash.body.detail).toContain(`"${second}" is in the group "north"`);
    expect((await put('south', { classes: [second, third], family: 'other' })).status).toBe(201);
    expect(
      (await put('south', { classes: [third, fourth], family: 'region' }, { 'if-match': '*' })).status,
    ).toBe(200);
  });

  test('the list has pages, by name, with classes where they are asked for', async () => {
    const all = (await send(`${url}/groups?limit=1000&classes=true`)).body;
    expect(groupListSchema.parse(all)).toEqual(all);
    expect(all.groups.every((one: { classes?: unknown }) => Array.isArray(one.classes))).toBe(true);
    const names: string[] = all.groups.map(({ name }: { name: string }) => name);
    expect(names).toEqual(names.toSorted());
    const paged: string[] = [];
    let after = '';
    for (;;) {
      const { body } = await send(`${url}/groups?limit=2${after}`);
      expect(body.total).toBe(names.length);
      expect(body.groups.some((one: object) => 'classes' in one)).toBe(false);
      paged.push(...body.groups.map(({ name }: { name: string }) => name));
      if (body.next === undefined) break;
      after = `&after=${encodeURIComponent(body.next)}`;
    }
    expect(paged).toEqual(names);
    const region = (await send(`${url}/groups?family=region`)).body;
    expect(region.groups.map(({ name }: { name: string }) => name)).toEqual(['north', 'south']);
  });

  test('changes of groups are in the audit log', async () => {
    await put('audited', { classes: [first] });
    const line = server.log.map((text) => JSON.parse(text)).find((one) => one.target === '/groups/audited');
    expect(line).toMatchObject({
      audit: true,
      what: 'PUT group',
      outcome: 'changed',
      groups: [{ name: 'audited', kind: 'created', classes: 1 }],
    });
  });
});
