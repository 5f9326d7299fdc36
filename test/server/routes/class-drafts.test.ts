/** What is filled in of a class, read from its pictures, and what an answer rests on: over HTTP, on a real port. */
import { describe, expect, test } from 'vitest';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import {
  addedExamplesSchema,
  classListSchema,
  classSchema,
  createdManySchema,
  createdSchema,
  dryRunSchema,
} from '../../../server/contract/class-schemas.js';
import { classifyResponseSchema } from '../../../server/contract/schemas.js';
import { temporaryFolder } from '../../support/folders.js';
import { numbered } from '../../support/pictures.js';
import { postPicture, send, startTestServer, type Answered } from '../../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const { url } = await startTestServer({ bundle: () => bundle });
const names = bundle.manifest.attributes.map(({ name }) => name);
const all = Object.fromEntries(names.map((name, k) => [name, ((k + 3) % 10) / 10]));

async function form(numbers: readonly number[], described?: unknown): Promise<FormData> {
  const body = new FormData();
  if (described !== undefined) body.append('class', JSON.stringify(described));
  for (const n of numbers) body.append('image', new Blob([Uint8Array.from(await numbered(n))]), `${n}.png`);
  return body;
}

async function post(path: string, body: FormData | object): Promise<Answered> {
  const isForm = body instanceof FormData;
  return send(`${url}${path}`, {
    method: 'POST',
    ...(isForm ? { body } : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
}

interface Draft {
  readonly filled: Record<string, number>;
  readonly certainty: Record<string, number>;
}

function expectDraft({ filled, certainty }: Draft, missing: readonly string[]): void {
  expect(Object.keys(filled).sort()).toEqual([...missing].sort());
  expect(Object.keys(certainty).sort()).toEqual([...missing].sort());
  for (const name of missing) {
    const { minimum, maximum } = range(name);
    expect(filled[name]).toBeGreaterThanOrEqual(minimum);
    expect(filled[name]).toBeLessThanOrEqual(maximum);
    expect(certainty[name]).toBeGreaterThanOrEqual(0);
    expect(certainty[name]).toBeLessThanOrEqual(1);
  }
}

function range(name: string) {
  const values = bundle.manifest.classes.map(({ attributes }) => attributes[names.indexOf(name)]);
  return { minimum: Math.min(...values), maximum: Math.max(...values) };
}

describe('a draft of the attributes', () => {
  test('is read from pictures before anything is stored, and is the same once it is', async () => {
    const dry = await post('/classes?dryRun=true', await form([1, 2, 3], { name: 'pictured' }));
    expect([dry.status, dryRunSchema.parse(dry.body)]).toEqual([200, dry.body]);
    const [draft] = dry.body.previews as Draft[];
    expectDraft(draft, names);
    expect((await send(`${url}/classes/pictured`)).status).toBe(404);
    const created = await post('/classes', await form([1, 2, 3], { name: 'pictured' }));
    expect([created.status, createdSchema.parse(created.body)]).toEqual([201, created.body]);
    const { body } = await send(`${url}/classes/pictured`);
    expect(classSchema.parse(body)).toEqual(body);
    for (const answer of [created.body, body]) {
      expect(answer).toMatchObject({ filled: draft.filled, certainty: draft.certainty, attributes: {} });
      expect(answer.restsOn).toEqual({ training: false, attributes: 0, pictures: 3 });
    }
  });

  test('changes with the pictures, and another set of them says something else', async () => {
    await post('/classes', await form([10], { name: 'growing' }));
    const before = (await send(`${url}/classes/growing`)).body as Draft;
    await post('/classes/growing/examples', await form([11, 12, 13, 14]));
    const after = (await send(`${url}/classes/growing`)).body as Draft;
    expect(after.filled).not.toEqual(before.filled);
    expect(after.certainty).not.toEqual(before.certainty);
  });

  test('can be corrected and given as attributes: nothing is filled in then', async () => {
    await post('/classes', await form([20, 21], { name: 'corrected' }));
    const { filled } = (await send(`${url}/classes/corrected`)).body as Draft;
    const attributes = { ...filled, [names[0]]: range(names[0]).maximum };
    const put = await send(`${url}/classes/corrected`, {
      ...{ method: 'PUT', headers: { 'content-type': 'application/json', 'if-match': '*' } },
      body: JSON.stringify({ attributes }),
    });
    expect([put.status, put.body.filled, put.body.attributes]).toEqual([200, undefined, attributes]);
    expect(put.body.restsOn).toEqual({ training: false, attributes: names.length, pictures: 2 });
  });

  test('marks what is filled in among given attributes in every answer', async () => {
    const attributes = { [names[1]]: 0.5, [names[2]]: 0.25 };
    const missing = names.filter((name) => !(name in attributes));
    const many = await post('/classes', {
      classes: [
        { name: 'part', attributes },
        { name: 'whole', attributes: all },
      ],
    });
    expect([many.status, createdManySchema.parse(many.body)]).toEqual([201, many.body]);
    const [part, whole] = many.body.classes as Draft[];
    expectDraft(part, missing);
    expect(whole.filled).toBeUndefined();
    const listed = await send(`${url}/classes?kind=runtime&attributes=true`);
    expect(classListSchema.parse(listed.body)).toEqual(listed.body);
    const inList = (listed.body.classes as (Draft & { name: string })[]).find(({ name }) => name === 'part')!;
    expect(inList.filled).toEqual(part.filled);
    const restored = await send(`${url}/classes/part/versions/1/restore`, {
      method: 'POST',
      headers: { 'if-match': '*' },
    });
    expect(restored.body.filled).toEqual(part.filled);
  });
});

describe('what an answer rests on', () => {
  test('is said of every class: training, attributes, pictures, or several of them', async () => {
    await post('/classes', await form([30, 31], { name: 'by pictures' }));
    await post('/classes', { name: 'by attributes', attributes: all });
    await post('/classes', await form([32], { name: 'by both', attributes: { [names[0]]: 0.5 } }));
    const seen = bundle.manifest.classes.find((one) => one.seen)!.name;
    await post(`/classes/${seen}/examples`, await form([33]));
    const { status, body } = await postPicture(url, 30, '?topK=1000&explain=true');
    expect([status, classifyResponseSchema.parse(body)]).toEqual([200, body]);
    const { classes } = body.explanation as {
      classes: { class: string; restsOn: object; for: { filled?: true; attribute: string }[] }[];
    };
    const explained = (name: string) => classes.find((one) => one.class === name)!;
    const expected = {
      'by pictures': { training: false, attributes: 0, pictures: 2 },
      'by attributes': { training: false, attributes: names.length, pictures: 0 },
      'by both': { training: false, attributes: 1, pictures: 1 },
      [seen]: { training: true, attributes: names.length, pictures: 1 },
    };
    for (const [name, restsOn] of Object.entries(expected)) {
      expect(explained(name).restsOn, name).toEqual(restsOn);
      expect((await send(`${url}/classes/${encodeURIComponent(name)}`)).body.restsOn, name).toEqual(restsOn);
    }
    expect(explained('by pictures').for).toEqual([]); // no attribute is known to compare with
    for (const { attribute, filled } of explained('by both').for)
      expect(filled, attribute).toBe(attribute === names[0] ? undefined : true);
  });
});

describe('a dry run of more pictures', () => {
  test('says what would be added and what the class would be confused with, and changes nothing', async () => {
    await post('/classes', { name: 'waiting', attributes: all });
    await post('/classes/waiting/examples', await form([50]));
    for (const name of ['waiting', bundle.manifest.classes.at(-1)!.name]) {
      const path = `/classes/${encodeURIComponent(name)}`;
      const { body: before } = await send(`${url}${path}`);
      const dry = await post(`${path}/examples?dryRun=true`, await form([50, 51, 51]));
      expect([dry.status, addedExamplesSchema.parse(dry.body)]).toEqual([200, dry.body]);
      const added = name === 'waiting' ? 1 : 2;
      expect(dry.body).toMatchObject({ added, examples: 2 });
      expect(dry.body.preview.recognised).toBeGreaterThan(0);
      expect((await send(`${url}${path}`)).body).toEqual(before);
    }
  });

  test('a query that is not known is refused, and nothing is added', async () => {
    await post('/classes', { name: 'strict', attributes: all });
    const refused = await post('/classes/strict/examples?dryrun=true', await form([60]));
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/dryrun']);
    expect((await send(`${url}/classes/strict`)).body.examples).toBe(0);
  });

  test('a class of the model with other attributes is refused as it would be without the dry run', async () => {
    const { name } = bundle.manifest.classes[0];
    for (const query of ['', '?dryRun=true'])
      expect((await post(`/classes${query}`, await form([70], { name }))).status).toBe(409);
  });
});

describe('pictures of a class of the model, before anything else was added', () => {
  test.each([true, false])(
    'seen: %s: it is recognised by them, and so is a class that comes after',
    async (isSeen) => {
      const { url: fresh } = await startTestServer({ bundle: () => bundle });
      const { name } = bundle.manifest.classes.find(({ seen }) => seen === isSeen)!;
      const probability = async (wanted: string, number: number): Promise<number> => {
        const { body } = await postPicture(fresh, number, '?topK=1000');
        const all = body.predictions as { class: string; probability: number }[];
        return all.find((one) => one.class === wanted)!.probability;
      };
      const before = await probability(name, 80);
      const body = await form([80, 81, 82]);
      const path = `${fresh}/classes/${encodeURIComponent(name)}/examples`;
      expect((await send(path, { method: 'POST', body })).status).toBe(201);
      expect(await probability(name, 80)).toBeGreaterThan(before);
      await send(`${fresh}/classes`, { method: 'POST', body: await form([90, 91], { name: 'later' }) });
      expect(await probability('later', 90)).toBeGreaterThan(0.05);
    },
  );
});
