import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  classListSchema,
  classSchema,
  createdManySchema,
  createdSchema,
  dryRunSchema,
} from '../../../server/contract/class-schemas.js';
import { problemSchema } from '../../../server/contract/schemas.js';
import { temporaryFolder } from '../../support/folders.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { postPicture, send, startTestServer, type Answered } from '../../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const { url, ...server } = await startTestServer({ bundle: () => bundle });
const names = bundle.manifest.attributes.map(({ name }) => name);
const vector = (value: number): number[] => names.map((_, k) => (value + k / 10) % 1);

function json(method: string, body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}
const create = (body: unknown, headers?: Record<string, string>, query = ''): Promise<Answered> =>
  send(`${url}/classes${query}`, json('POST', body, headers));
const read = (name: string): Promise<Answered> => send(`${url}/classes/${encodeURIComponent(name)}`);

describe('POST /classes', () => {
  test('201 with Location and ETag, 200 for the same again, 409 for another content', async () => {
    const first = await create({ name: 'new one', attributes: vector(0.2) });
    expect(first.status).toBe(201);
    expect(createdSchema.parse(first.body)).toEqual(first.body);
    expect(first.headers.get('location')).toBe('/classes/new%20one');
    expect(first.headers.get('etag')).toBe(`"${first.body.etag}"`);
    const again = await create({ name: 'new one', attributes: vector(0.2) });
    expect([again.status, again.body.etag]).toEqual([200, first.body.etag]);
    const byName = Object.fromEntries(names.map((name, k) => [name, vector(0.2)[k]]));
    expect((await create({ name: 'new one', attributes: byName })).status).toBe(200);
    const other = await create({ name: 'new one', attributes: vector(0.3) });
    expect(other.status).toBe(409);
    expect(other.body.errors[0].pointer).toBe('/name');
  });

  test('from the next picture on the class competes, with the revision that was answered', async () => {
    const { body } = await create({ name: 'competes', attributes: vector(0.7) });
    const answer = await postPicture(url, 1, '?topK=1000&explain=true');
    expect(answer.body.registryRevision).toBe(body.registryRevision);
    const own = answer.body.predictions.find((one: { class: string }) => one.class === 'competes');
    expect(own).toMatchObject({ seen: false, runtime: true });
    expect(answer.body.explanation.classes).toHaveLength(answer.body.predictions.length);
  });

  test("the model's own names are taken; the very same attributes are no conflict", async () => {
    const [own] = bundle.manifest.classes;
    expect((await create({ name: own.name, attributes: vector(0.5) })).status).toBe(409);
    expect((await create({ name: own.name, attributes: own.attributes })).status).toBe(200);
  });

  test('many at once, all or nothing', async () => {
    const classes = ['bulk a', 'bulk b', 'bulk c'].map((name, i) => ({ name, attributes: vector(i / 5) }));
    const made = await create({ classes });
    expect(made.status).toBe(201);
    expect(createdManySchema.parse(made.body)).toEqual(made.body);
    expect(made.body.classes.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'created',
      'created',
      'created',
    ]);
    const clash = [
      { name: 'bulk d', attributes: vector(0.1) },
      { name: 'bulk a', attributes: vector(0.9) },
    ];
    const refused = await create({ classes: clash });
    expect(refused.status).toBe(409);
    expect(refused.body.errors[0].pointer).toBe('/classes/1/name');
    expect((await read('bulk d')).status).toBe(404);
    expect((await create({ classes: [classes[0], classes[0]] })).status).toBe(422);
  });

  test('a dry run tells what it would be confused with, and changes nothing', async () => {
    const [own] = bundle.manifest.classes;
    const before = (await send(`${url}/classes`)).body.registryRevision;
    const { status, body } = await create(
      { name: 'perhaps', attributes: own.attributes },
      {},
      '?dryRun=true',
    );
    expect(status).toBe(200);
    expect(dryRunSchema.parse(body)).toEqual(body);
    expect(body.previews[0].nearest[0].name).toBe(own.name);
    expect(body.previews[0].nearest[0].likeness).toBeCloseTo(1, 5);
    expect((await read('perhaps')).status).toBe(404);
    expect((await send(`${url}/classes`)).body.registryRevision).toBe(before);
  });

  test('an Idempotency-Key gets the first answer again, and another body under it is refused', async () => {
    const headers = { 'idempotency-key': 'key-1' };
    const body = { name: 'once', attributes: vector(0.4) };
    const [first, second] = [await create(body, headers), await create(body, headers)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect((await create({ ...body, name: 'twice' }, headers)).status).toBe(422);
  });

  test('values beyond what training saw are accepted with a warning, or refused when so configured', async () => {
    const far = vector(0.5).with(0, 7);
    const { status, body } = await create({ name: 'far', attributes: far });
    expect(status).toBe(201);
    expect(body.warnings[0]).toContain('outside the range that training saw');
    const strict = await startTestServer({
      bundle: () => bundle,
      settings: { attributesOutOfRange: 'refuse' },
    });
    const refused = await send(`${strict.url}/classes`, json('POST', { name: 'far', attributes: far }));
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0].pointer).toBe('/attributes/0');
  });

  test('fifty at the same time for one name: one makes it, the rest find it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        create({ name: 'race', attributes: vector(i % 2 === 0 ? 0.1 : 0.6) }),
      ),
    );
    const counts = (status: number): number => answers.filter((answer) => answer.status === status).length;
    expect([counts(201), counts(200), counts(409)]).toEqual([1, 24, 25]);
  });
});

describe('a class by its name', () => {
  test('is read, replaced and removed with its ETag', async () => {
    const made = await create({ name: 'a/b ü', attributes: vector(0.2) });
    const found = await read('a/b ü');
    expect(classSchema.parse(found.body)).toEqual(found.body);
    expect(found.body.attributes[names[1]]).toBeCloseTo(0.3);
    const path = `${url}/classes/${encodeURIComponent('a/b ü')}`;
    const etag = found.headers.get('etag')!;
    expect((await send(path, json('PUT', { attributes: vector(0.8) }))).status).toBe(428);
    expect((await send(path, json('PUT', { attributes: vector(0.8) }, { 'if-match': '"old"' }))).status).toBe(
      412,
    );
    const replaced = await send(path, json('PUT', { attributes: vector(0.8) }, { 'if-match': etag }));
    expect(replaced.status).toBe(200);
    expect(replaced.body.etag).not.toBe(made.body.etag);
    expect(replaced.body.registryRevision).toBeGreaterThan(made.body.registryRevision as number);
    expect((await send(path, { method: 'DELETE' })).status).toBe(428);
    expect((await send(path, { method: 'DELETE', headers: { 'if-match': etag } })).status).toBe(412);
    const current = replaced.headers.get('etag')!;
    expect((await send(path, { method: 'DELETE', headers: { 'if-match': current } })).status).toBe(204);
    expect((await read('a/b ü')).status).toBe(404);
    const { body } = await postPicture(url, 1, '?topK=1000');
    expect(body.predictions.map((one: { class: string }) => one.class)).not.toContain('a/b ü');
  });

  test('of the model itself can be read and not changed', async () => {
    const [own] = bundle.manifest.classes;
    const found = await read(own.name);
    expect(found.body).toMatchObject({ seen: own.seen, runtime: false, revision: 0 });
    const headers = { 'if-match': found.headers.get('etag')! };
    expect((await send(`${url}/classes/${own.name}`, { method: 'DELETE', headers })).status).toBe(409);
    for (const query of ['', '?dryRun=true']) {
      const refused = await create({ name: own.name, attributes: vector(0.9) }, {}, query);
      expect([refused.status, refused.body.detail]).toEqual([
        409,
        expect.stringMatching(/or add pictures of it: POST /),
      ]);
    }
  });
});

describe('GET /classes', () => {
  test('pages through all, by kind', async () => {
    const seen = new Set<string>();
    let after: string | undefined;
    do {
      const query = after === undefined ? '' : `&after=${encodeURIComponent(after)}`;
      const { body } = await send(`${url}/classes?limit=3${query}`);
      expect(classListSchema.parse(body)).toEqual(body);
      for (const { name } of body.classes) seen.add(name as string);
      after = body.next as string | undefined;
      if (after === undefined) expect(seen.size).toBe(body.total);
    } while (after !== undefined);
    const kinds = await Promise.all(
      ['seen', 'unseen', 'runtime'].map(
        async (kind) => (await send(`${url}/classes?kind=${kind}`)).body.total as number,
      ),
    );
    expect(kinds[0] + kinds[1]).toBe(seen.size); // runtime classes are unseen ones
    expect(kinds[2]).toBeGreaterThan(0);
  });

  test('a revision that is not there yet is waited for, then refused', async () => {
    const { body } = await create({ name: 'later', attributes: vector(0.35) });
    const revision = body.registryRevision as number;
    const ok = await send(`${url}/classes/later`, { headers: { 'if-registry-revision': String(revision) } });
    expect(ok.status).toBe(200);
    const ahead = await send(`${url}/classes`, { headers: { 'if-registry-revision': String(revision + 5) } });
    expect(ahead.status).toBe(412);
    expect((await send(`${url}/classes`, { headers: { 'if-registry-revision': 'x' } })).status).toBe(400);
  });
});

test('whatever is wrong with a body gets 4xx with a pointer, and the registry stays as it is', async () => {
  const revision = (await send(`${url}/classes`)).body.registryRevision;
  const good = { name: 'fuzz', attributes: vector(0.5) };
  const oddNumber = fc.constantFrom<unknown>('1', true, [], {}, [1]);
  const oddName = fc.constantFrom<unknown>('', ' x', 'x'.repeat(201), 'a\u0000b', '\ud800', 5, null, {});
  const bodies = fc.oneof(
    fc.anything().filter((value) => typeof JSON.stringify(value) === 'string'),
    oddName.map((name) => ({ ...good, name })),
    fc
      .tuple(fc.nat(names.length - 1), oddNumber)
      .map(([k, value]) => ({ ...good, attributes: (vector(0.5) as unknown[]).with(k, value) })),
    fc
      .integer({ min: 0, max: 40 })
      .filter((length) => length !== names.length)
      .map((length) => ({ ...good, attributes: Array(length).fill(0.5) })),
    fc
      .dictionary(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }))
      .map((attributes) => ({ ...good, attributes })),
    fc.string().map((key) => ({ ...good, [`x${key}`]: 1 })),
    oddName.map((name) => ({ classes: [good, { ...good, name }] })),
    fc.constantFrom({ classes: [] }, { classes: good }, { classes: [null] }),
  );
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const answer = await create(body);
      expect(answer.status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
      expect(answer.status, JSON.stringify(body)).toBeLessThan(500);
      const problem = problemSchema.parse(answer.body);
      expect(problem.errors?.length, JSON.stringify(body)).toBeGreaterThan(0);
    }),
    { numRuns: Number(process.env.UNSEEN_FUZZ_RUNS ?? 300) },
  );
  expect((await send(`${url}/classes`)).body.registryRevision).toBe(revision);
});

test.each([
  [
    'a text among the numbers',
    { name: 'text', attributes: { [names[0]]: 0.5, [names[1]]: '0.5' } },
    `/attributes/${names[1]}`,
  ],
  [
    'a text in a list',
    { name: 'text', attributes: (vector(0.5) as unknown[]).with(2, '1') },
    '/attributes/2',
  ],
  ['values that are absurd', { name: 'absurd', attributes: vector(0.5).with(2, 1e30) }, '/attributes/2'],
  ['a million values', { name: 'long', attributes: Array(100_000).fill('x') }, '/attributes'],
  ['a thousand unknown fields', Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x${i}`, i])), ''],
])('%s are refused, with a pointer and without looking at each', async (_name, body, pointer) => {
  const answer = await create(body);
  expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, pointer]);
  expect(answer.body.errors).toHaveLength(1);
});

test('a fitting process that dies is replaced, and nothing is lost', async () => {
  const registry = server.models.current.classes;
  const runtime = async (): Promise<string[]> =>
    (await send(`${url}/classes?kind=runtime&limit=1000`)).body.classes.map(
      ({ name }: { name: string }) => name,
    );
  const before = await runtime();
  const attempts = Array.from({ length: 6 }, (_, i) =>
    create({ name: `fault ${i}`, attributes: vector(i / 7) }),
  );
  registry.killFitter();
  const statuses = (await Promise.all(attempts)).map(({ status }) => status);
  for (const status of statuses) expect([201, 503]).toContain(status);
  expect((await create({ name: 'after the fault', attributes: vector(0.15) })).status).toBe(201);
  const made = statuses.filter((status) => status === 201).length;
  expect(await runtime()).toHaveLength(before.length + made + 1);
});
