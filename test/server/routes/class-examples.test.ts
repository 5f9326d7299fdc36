/** Example pictures of classes over HTTP, on a real port, with pictures that are decoded and go through a network. */
import { describe, expect, test } from 'vitest';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import {
  addedExamplesSchema,
  classSchema,
  createdSchema,
  exampleListSchema,
  versionListSchema,
} from '../../../server/contract/class-schemas.js';
import { problemSchema } from '../../../server/contract/schemas.js';
import { temporaryFolder } from '../../support/folders.js';
import { numbered, truncatedJpeg } from '../../support/pictures.js';
import { postPicture, send, startTestServer, testKey, type Answered } from '../../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { url, log } = await startTestServer({ bundle: () => bundle });
const vector = (value: number): Record<string, number> =>
  Object.fromEntries(bundle.manifest.attributes.map(({ name }, k) => [name, (value + k / 10) % 1]));
const any = { 'if-match': '*' };

const pathOf = (name: string): string => `${url}/classes/${encodeURIComponent(name)}`;
const create = (name: string, value = 0.3): Promise<Answered> =>
  send(`${url}/classes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, attributes: vector(value) }),
  });

function form(pictures: readonly Uint8Array[], described?: unknown): FormData {
  const body = new FormData();
  if (described !== undefined) body.append('class', JSON.stringify(described));
  pictures.forEach((bytes, i) => {
    body.append('image', new Blob([bytes]), `${i}.png`);
  });
  return body;
}

const several = (...numbers: number[]): Promise<Buffer[]> => Promise.all(numbers.map((n) => numbered(n)));

async function add(name: string, numbers: readonly number[], headers = {}): Promise<Answered> {
  const body = form(await several(...numbers));
  return send(`${pathOf(name)}/examples`, { method: 'POST', body, headers });
}

async function addOne(name: string, number: number): Promise<Answered> {
  const body = (await numbered(number)) as Uint8Array<ArrayBuffer>;
  const headers = { 'content-type': 'image/png' };
  return send(`${pathOf(name)}/examples`, { method: 'POST', headers, body });
}

async function countOf(name: string): Promise<number> {
  const { status, body } = await send(pathOf(name));
  expect([status, classSchema.parse(body)]).toEqual([200, body]);
  return body.examples as number;
}

describe('examples of a runtime class', () => {
  test('one picture as the body, several as a form; counted, listed, removed one by one and all', async () => {
    await create('gnu');
    const first = await addOne('gnu', 1);
    expect([first.status, addedExamplesSchema.parse(first.body)]).toEqual([201, first.body]);
    expect(first.body).toMatchObject({ name: 'gnu', examples: 1, added: 1 });
    expect(first.headers.get('registry-revision')).toBe(String(first.body.registryRevision));
    const more = await add('gnu', [2, 1, 3, 3]);
    expect(more.body).toMatchObject({ examples: 3, added: 2 });
    const outcomes = more.body.pictures.map(({ outcome }: { outcome: string }) => outcome) as string[];
    expect(outcomes).toEqual(['added', 'unchanged', 'added', 'unchanged']);
    expect(await countOf('gnu')).toBe(3);

    const listed = await send(`${pathOf('gnu')}/examples`);
    expect(exampleListSchema.parse(listed.body)).toEqual(listed.body);
    const ids = listed.body.examples.map(({ id }: { id: string }) => id) as string[];
    expect(ids[0]).toBe(first.body.pictures[0].id);
    for (const example of listed.body.examples as Record<string, unknown>[]) {
      expect(Object.keys(example).sort()).toEqual(['by', 'createdAt', 'id', 'usable']); // never pictures or features
      expect([example.by, example.usable]).toEqual(['admin-1', true]);
    }
    expect(await metric('unseen_examples')).toBeGreaterThanOrEqual(3);

    expect((await send(`${pathOf('gnu')}/examples/${ids[0]}`, { method: 'DELETE' })).status).toBe(204);
    expect((await send(`${pathOf('gnu')}/examples/${ids[0]}`, { method: 'DELETE' })).status).toBe(404);
    expect(await countOf('gnu')).toBe(2);
    const gone = await send(`${pathOf('gnu')}/examples`, { method: 'DELETE' });
    expect([gone.status, gone.headers.has('registry-revision')]).toEqual([204, true]);
    expect(await countOf('gnu')).toBe(0);
    expect((await add('gnu', [1])).body).toMatchObject({ added: 1, examples: 1 }); // may be added again
  });

  test('pictures that are all there already change nothing, and say so', async () => {
    await create('still');
    const { body: before } = await add('still', [1, 2]);
    const again = await add('still', [2, 1]);
    expect([again.status, again.body.added]).toEqual([200, 0]);
    expect(again.body.registryRevision).toBe(before.registryRevision);
  });

  test('one picture that cannot be used keeps all of them out, and each is named with its reason', async () => {
    await create('strict');
    const [good] = await several(1);
    const body = form([good, Buffer.from('GIF89a'), await truncatedJpeg()]);
    const refused = await send(`${pathOf('strict')}/examples`, { method: 'POST', body });
    expect(refused.status).toBe(415);
    expect(problemSchema.parse(refused.body).errors?.map(({ pointer }) => pointer)).toEqual([
      '/image/1',
      '/image/2',
    ]);
    expect(refused.body.detail).toContain('Nothing was stored');
    expect(await countOf('strict')).toBe(0);
    const alone = await send(`${pathOf('strict')}/examples`, {
      ...{ method: 'POST', headers: { 'content-type': 'image/jpeg' } },
      body: (await truncatedJpeg()) as Uint8Array<ArrayBuffer>,
    });
    expect([alone.status, alone.body.code]).toEqual([422, 'image-invalid']);
  });

  test('a repeated Idempotency-Key is answered as the first time; with other pictures it is refused', async () => {
    await create('once');
    const key = { 'idempotency-key': 'pictures of once' };
    const first = await add('once', [1, 2], key);
    const again = await add('once', [1, 2], key); // another boundary, the same content
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await add('once', [3], key)).status).toBe(422);
    expect(await countOf('once')).toBe(2);
  });

  test('need a class, an admin key, and a method that is known', async () => {
    expect((await add('nobody', [1])).status).toBe(404);
    expect((await send(`${pathOf('nobody')}/examples`)).status).toBe(404);
    await create('guarded');
    const headers = { authorization: 'Bearer wrong', 'content-type': 'image/png' };
    const wrong = await send(`${pathOf('guarded')}/examples`, { method: 'POST', headers, body: 'x' });
    expect([401, 403]).toContain(wrong.status);
    expect((await send(`${pathOf('guarded')}/examples`, { method: 'PUT' })).status).toBe(405);
    const json = { 'content-type': 'application/json' };
    const typed = await send(`${pathOf('guarded')}/examples`, { method: 'POST', headers: json, body: '{}' });
    expect(typed.status).toBe(415);
  });

  test('leave the ETag alone: a PUT that was made against the attributes keeps them', async () => {
    const { body } = await create('edited', 0.2);
    await add('edited', [1, 2]);
    const headers = { 'content-type': 'application/json', 'if-match': `"${body.etag}"` };
    const put = { method: 'PUT', headers, body: JSON.stringify({ attributes: vector(0.6) }) };
    const replaced = await send(pathOf('edited'), put);
    expect([replaced.status, replaced.body.examples]).toEqual([200, 2]);
    expect(await countOf('edited')).toBe(2);
  });

  test('come back with the version that had them', async () => {
    await create('restored', 0.2); // version 1
    await add('restored', [1, 2]); // 2
    const { body } = await send(`${pathOf('restored')}/examples`);
    await send(`${pathOf('restored')}/examples/${body.examples[0].id}`, { method: 'DELETE' }); // 3
    await send(pathOf('restored'), { method: 'DELETE', headers: any }); // 4
    await create('restored', 0.5); // 5
    expect(await countOf('restored')).toBe(0);
    const { versions } = (await send(`${pathOf('restored')}/versions`)).body;
    const counts = versions.map((one: { examples?: number }) => one.examples) as (number | undefined)[];
    expect(counts).toEqual([0, undefined, 1, 2, 0]);
    const restore = (n: number): Promise<Answered> =>
      send(`${pathOf('restored')}/versions/${n}/restore`, { method: 'POST', headers: any });
    expect((await restore(2)).body).toMatchObject({ examples: 2, attributes: vector(0.2) });
    const after = await send(`${pathOf('restored')}/examples`);
    expect(after.body.examples).toEqual(body.examples); // with their ids, times and authors
    expect((await restore(3)).body.examples).toBe(1);
    expect((await restore(1)).body.examples).toBe(0);
  });

  test('of a class of the model come and go without removing it, and any of its versions comes back', async () => {
    const { name } = bundle.manifest.classes.at(-1)!;
    await add(name, [30, 31]);
    await send(`${pathOf(name)}/examples`, { method: 'DELETE' });
    const { versions } = (await send(`${pathOf(name)}/versions`)).body;
    expect(versions).toMatchObject([
      { number: 2, removed: false, examples: 0, current: true },
      { number: 1, removed: false, examples: 2, current: false },
    ]);
    for (const one of versions) expect(one).not.toHaveProperty('attributes'); // it has those of the model
    const restore = (n: number): Promise<Answered> =>
      send(`${pathOf(name)}/versions/${n}/restore`, { method: 'POST', headers: any });
    expect((await restore(1)).body.examples).toBe(2);
    const without = await restore(2);
    expect([without.status, without.body.examples, await countOf(name)]).toEqual([200, 0, 0]);
    const { body } = await send(`${pathOf(name)}/versions`);
    expect(versionListSchema.parse(body)).toEqual(body);
  });

  test('leave a line in the audit log that says how many', async () => {
    await create('audited');
    await add('audited', [1, 2, 3]);
    const line = log.findLast((each) => each.includes('"audited"') && each.includes('examples-added'))!;
    expect(JSON.parse(line)).toMatchObject({
      ...{ audit: true, what: 'POST class-examples', who: 'admin-1', outcome: 'changed' },
      classes: [{ name: 'audited', kind: 'examples-added', examplesAdded: 3 }],
    });
  });
});

describe('a form with a class and pictures of it', () => {
  const post = (body: FormData, query = ''): Promise<Answered> =>
    send(`${url}/classes${query}`, { method: 'POST', body });

  test('creates the class with its examples in one change', async () => {
    const created = await post(form(await several(4, 5), { name: 'both', attributes: vector(0.4) }));
    expect([created.status, createdSchema.parse(created.body)]).toEqual([201, created.body]);
    expect(created.body.examples).toBe(2);
    const again = await post(form(await several(4, 5), { name: 'both', attributes: vector(0.4) }));
    expect([again.status, again.body.registryRevision]).toEqual([200, created.body.registryRevision]);
    const other = await post(form(await several(4), { name: 'both', attributes: vector(0.5) }));
    expect(other.status).toBe(409);
  });

  test('that is wrong is refused with what to change, and stores nothing', async () => {
    const pictures = await several(1);
    const cases = [
      [form(pictures), 400, 'the field "class" is missing'],
      [form(pictures, { name: '' }), 422, 'a name is needed'],
      [form(pictures, { classes: [] }), 422, 'not known here'],
      [form([], { name: 'bare' }), 422, 'at least one attribute or one example picture'],
      [form([Buffer.from('no picture')], { name: 'bare', attributes: vector(0.1) }), 415, 'JPEG'],
    ] as const;
    for (const [body, status, detail] of cases) {
      const answer = await post(body);
      expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(detail)]);
    }
    const broken = form(pictures);
    broken.append('class', '{"name":');
    expect((await post(broken)).body.detail).toContain('"class" is not JSON');
    expect((await send(pathOf('bare'))).status).toBe(404);
  });

  test('may be tried without storing anything', async () => {
    const body = form(await several(6), { name: 'tried', attributes: vector(0.7) });
    const preview = await post(body, '?dryRun=true');
    expect([preview.status, preview.body.previews[0].name]).toEqual([200, 'tried']);
    expect((await send(pathOf('tried'))).status).toBe(404);
  });
});

describe('each picture of a dry run', () => {
  interface Judged {
    readonly name: string;
    readonly own: number;
  }
  const tried = async (name: string, numbers: readonly number[]): Promise<Answered> => {
    const body = new FormData();
    for (const n of numbers) body.append('image', new Blob([Uint8Array.from(await numbered(n))]), `${n}`);
    return send(`${pathOf(name)}/examples?dryRun=true`, { method: 'POST', body });
  };

  test('is judged under its own name, as it would be answered without it, whatever the class has already', async () => {
    await create('judged', 0.35);
    await add('judged', [80, 81]);
    const numbers = [84, 83, 81, 82, 84]; // one is there already, one comes twice
    const { status, body } = await tried('judged', numbers);
    expect([status, addedExamplesSchema.parse(body)]).toEqual([200, body]);
    const pictures = body.preview.pictures as Judged[];
    expect(pictures.map(({ name }) => name)).toEqual(['84', '83', '81', '82']);
    for (const { name, own } of pictures) {
      await send(`${pathOf('judged')}/examples`, { method: 'DELETE' });
      await add(
        'judged',
        [80, 81, 82, 83, 84].filter((n) => String(n) !== name),
      );
      const answered = await postPicture(url, Number(name), '?topK=1000');
      const all = answered.body.predictions as { class: string; probability: number }[];
      expect(own, name).toBeCloseTo(all.find((one) => one.class === 'judged')!.probability, 1);
    }
  });

  test('beyond the first five is not judged, which the answer says', async () => {
    await create('many', 0.35);
    const { body } = await tried('many', [90, 91, 92, 93, 94, 95]);
    expect(addedExamplesSchema.parse(body)).toEqual(body);
    expect(body.preview.pictures).toHaveLength(5);
    expect(body.preview.warnings).toEqual([expect.stringContaining('the first 5 of 6 pictures')]);
  });
});

describe('what is known of a class', () => {
  const json = (method: string, body: unknown, headers = {}): RequestInit => ({
    ...{ method, headers: { 'content-type': 'application/json', ...headers } },
    body: JSON.stringify(body),
  });
  const names = bundle.manifest.attributes.map(({ name }) => name);

  test('some attributes: the others are filled in, shown apart, and never stored', async () => {
    const attributes = { [names[0]]: 0.9, [names[3]]: 0.1, [names[4]]: null };
    const created = await send(`${url}/classes`, json('POST', { name: 'some', attributes }));
    const stored = { [names[0]]: 0.9, [names[3]]: 0.1 };
    expect([created.status, created.body.attributes]).toEqual([201, stored]);
    const { body } = await send(pathOf('some'));
    expect(classSchema.parse(body)).toEqual(body);
    expect(body.attributes).toEqual(stored);
    const expected = names.filter((name) => !(name in stored)).sort();
    expect(Object.keys(body.filled as object).sort()).toEqual(expected);
    for (const value of Object.values(body.filled as object)) expect(value).toSatisfy(Number.isFinite);
    const given = await send(
      pathOf('some'),
      json('PUT', { attributes: [0.5, ...names.slice(1).map(() => null)] }, any),
    );
    expect([given.status, given.body.attributes]).toEqual([200, { [names[0]]: 0.5 }]);
    const explained = await postPicture(url, 1, '?topK=1000&explain=true');
    expect(explained.status).toBe(200);
    expect(JSON.stringify(explained.body.explanation.classes)).not.toContain('null'); // as JSON writes NaN
    const preview = await send(`${url}/classes?dryRun=true`, json('POST', { name: 'tried', attributes }));
    expect(preview.body.previews[0].recognised).toSatisfy(Number.isFinite);
  });

  test('pictures alone: recognised by them, kept by the last of them', async () => {
    const numbers = [40, 41, 42];
    const probability = async (number: number): Promise<number | undefined> => {
      const { body } = await postPicture(url, number, '?topK=1000');
      const found = (body.predictions as { class: string; probability: number }[]).find(
        (one) => one.class === 'shown',
      );
      return found?.probability;
    };
    const body = form(await several(...numbers), { name: 'shown' });
    const created = await send(`${url}/classes`, { method: 'POST', body });
    expect([created.status, created.body.examples, created.body.attributes]).toEqual([201, 3, {}]);
    expect(await probability(40)).toSatisfy(Number.isFinite);
    const refused = await send(`${pathOf('shown')}/examples`, { method: 'DELETE' });
    expect([refused.status, refused.body.code]).toEqual([422, 'attributes-invalid']);
    expect(await countOf('shown')).toBe(3);
    await send(pathOf('shown'), { method: 'DELETE', headers: any });
  });

  test('pictures change the answer: one of the class itself is more likely it than before', async () => {
    const probability = async (name: string): Promise<number> => {
      const { body } = await postPicture(url, 60, '?topK=1000');
      const all = body.predictions as { class: string; probability: number }[];
      return all.find((one) => one.class === name)!.probability;
    };
    const unseen = bundle.manifest.classes.find(({ seen }) => !seen)!.name;
    await create('taught', 0.8);
    for (const name of ['taught', unseen]) {
      const before = await probability(name);
      await add(name, [60, 61, 62, 63, 64]);
      expect(await probability(name), name).toBeGreaterThan(before);
      await send(`${pathOf(name)}/examples`, { method: 'DELETE' });
      expect(await probability(name), name).toBeCloseTo(before, 1);
    }
  });
});

describe('like', () => {
  test('takes every attribute that is not given from another class', async () => {
    const [own] = bundle.manifest.classes;
    const [first, second] = bundle.manifest.attributes.map(({ name }) => name);
    const given = { name: 'twin', like: own.name, attributes: { [second]: 0.5 } };
    const { status, body } = await send(`${url}/classes`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(given),
    });
    expect([status, body.attributes[first], body.attributes[second]]).toEqual([201, own.attributes[0], 0.5]);
    expect(Object.keys(body.attributes as object)).toHaveLength(bundle.manifest.attributes.length);
  });

  test('of a class that nobody knows is refused with a pointer', async () => {
    const { status, body } = await send(`${url}/classes`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ classes: [{ name: 'x', like: 'unicorn' }] }),
    });
    expect([status, body.errors]).toEqual([
      422,
      [{ pointer: '/classes/0/like', detail: expect.stringContaining('"unicorn"') as string }],
    ]);
  });

  const post = (given: object): Promise<Answered> =>
    send(`${url}/classes`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(given),
    });

  test('of a name that is misspelt asks for the one that was meant, in one whole sentence', async () => {
    const [{ name }] = bundle.manifest.classes;
    const { body } = await post({ name: 'x', like: `${name}s`, attributes: vector(0.3) });
    expect(body.detail).toMatch(/GET \/classes lists them\. Did you mean "[^?]+\?$/);
  });

  test('of a class further down asks to move it up; however its letters are written, one further up is found', async () => {
    const [composed, decomposed] = ['Caf\u00e9', 'Cafe\u0301'];
    const model = { name: composed, attributes: vector(0.45) };
    const like = { name: 'like it', like: decomposed };
    const { status, body } = await post({ classes: [like, model] });
    expect([status, body.errors]).toEqual([
      422,
      [{ pointer: '/classes/0/like', detail: expect.stringContaining('must come before') as string }],
    ]);
    const created = await post({ classes: [model, like] });
    expect([created.status, created.body.classes[1].attributes]).toEqual([201, model.attributes]);
  });

  test('of the class itself is refused as that, alone and in a table', async () => {
    const own = { name: 'narcissus', like: 'narcissus', attributes: vector(0.3) };
    for (const given of [own, { classes: [own] }]) {
      const { status, body } = await post(given);
      expect([status, body.errors]).toEqual([
        422,
        [expect.objectContaining({ detail: 'this is the class itself; name one that is there already' })],
      ]);
    }
  });

  test('of a class without attributes is refused: there is nothing to take', async () => {
    await send(`${url}/classes`, { method: 'POST', body: form(await several(71, 72), { name: 'pictured' }) });
    const [first] = bundle.manifest.attributes;
    const { status, body } = await post({ name: 'x', like: 'pictured', attributes: { [first.name]: 0.5 } });
    expect([status, body.errors[0].pointer]).toEqual([422, '/like']);
    expect(body.detail).toContain('has no attributes to take');
    expect((await post({ name: 'y', like: 'pictured' })).status).toBe(422);
  });
});

describe('limits', () => {
  const limited = (settings: object) => startTestServer({ bundle: () => bundle, settings });
  const post = async (base: string, name: string, ...numbers: number[]): Promise<Answered> =>
    send(`${base}/classes/${name}/examples`, { method: 'POST', body: form(await several(...numbers)) });
  const [one, two] = bundle.manifest.classes.map(({ name }) => encodeURIComponent(name));

  test.each([
    [{ examplesPerClass: 2 }, '--examples-per-class'],
    [{ examplesPerRegistry: 2 }, '--examples-per-registry'],
    [{ exampleMegabytes: (2 * 2 * 12) / 1e6 }, '--example-megabytes'],
  ])('%o: what goes past it is refused, and nothing of it is stored', async (settings, flag) => {
    const server = await limited(settings);
    expect((await post(server.url, one, 1)).status).toBe(201);
    const refused = await post(server.url, one, 2, 3);
    expect([refused.status, refused.body.code]).toEqual([409, 'limit-reached']);
    expect(refused.body.detail).toContain(flag);
    const body = form(await several(2, 3));
    const tried = await send(`${server.url}/classes/${one}/examples?dryRun=true`, { method: 'POST', body });
    expect([tried.status, tried.body.detail]).toEqual([409, refused.body.detail]); // as it would be in earnest
    expect((await send(`${server.url}/classes/${one}`)).body.examples).toBe(1);
    expect((await post(server.url, one, 2)).status).toBe(201);
    const isOfClass = 'examplesPerClass' in settings;
    expect((await post(server.url, two, 3)).status).toBe(isOfClass ? 201 : 409);
    const emptied = await send(`${server.url}/classes/${one}/examples`, { method: 'DELETE' });
    expect(emptied.status).toBe(204);
    expect((await post(server.url, two, 4)).status).toBe(201); // there is room again
  });
});

describe('under another network', () => {
  test('examples are kept, not used, and asked for again', async () => {
    const registry = `sqlite:${folder}/networks.db`;
    const [own] = bundle.manifest.classes.map(({ name }) => name);
    const old = await startTestServer({ bundle: () => bundle, settings: { registry } });
    const examples = `/classes/${encodeURIComponent(own)}/examples`;
    await send(old.url + examples, { method: 'POST', body: form(await several(1, 2)) });
    await old.stop(0);
    const backbone = () => smallBackbone({ size: 20 });
    const { url: now } = await startTestServer({ bundle: () => bundle, settings: { registry }, backbone });
    const { body } = await send(`${now}/classes/${encodeURIComponent(own)}`);
    expect(body).toMatchObject({ examples: 2, unusableExamples: 2 });
    expect(body.warnings[0]).toContain('add them again');
    const listed = (await send(now + examples)).body;
    expect(listed.examples.map(({ usable }: { usable: boolean }) => usable)).toEqual([false, false]);
    const again = await send(now + examples, { method: 'POST', body: form(await several(1, 2)) });
    expect(again.body).toMatchObject({ added: 2, examples: 4 });
    for (const { id } of listed.examples as { id: string }[])
      await send(`${now + examples}/${id}`, { method: 'DELETE' });
    const usable = (await send(`${now}/classes/${encodeURIComponent(own)}`)).body;
    expect(usable.examples).toBe(2);
    expect(usable).not.toHaveProperty('unusableExamples');
  });
});

test('pictures are answered while examples are added', async () => {
  await create('busy');
  const adding = Promise.all(Array.from({ length: 6 }, (_, i) => add('busy', [20 + 2 * i, 21 + 2 * i])));
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => postPicture(url, i)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await adding).map(({ status }) => status)).toEqual(Array(6).fill(201));
  expect(await countOf('busy')).toBe(12);
});

async function metric(name: string): Promise<number> {
  const headers = { authorization: `Bearer ${testKey}` };
  const page = String((await send(`${url}/metrics`, { headers })).body);
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]);
}
