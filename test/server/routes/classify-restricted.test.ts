import { beforeAll, describe, expect, test } from 'vitest';
import { UnseenClient } from '../../../client/index.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { classifyManyResponseSchema, classifyResponseSchema } from '../../../server/contract/schemas.js';
import { temporaryFolder } from '../../support/folders.js';
import { image, infer } from '../../support/open-inference.js';
import { numbered } from '../../support/pictures.js';
import { postPicture, startTestServer, testKey } from '../../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const { url } = await startTestServer({ bundle: () => bundle });
const client = new UnseenClient({ url, key: testKey });
const names = bundle.manifest.classes.map(({ name }) => name).toSorted();
const vector = (value: number): number[] => bundle.manifest.attributes.map((_, k) => (value + k / 10) % 1);
const withComma = 'Bunting, Indigo';

beforeAll(async () => {
  await client.createClasses([
    { name: withComma, attributes: vector(0.2) },
    { name: 'Bunting', attributes: vector(0.5) },
  ]);
  await client.putGroup('small', { classes: names.slice(0, 3), family: 'size' });
  await client.putGroup('large', { classes: names.slice(3, 5), family: 'size' });
});

const classesOf = (answer: { predictions: { class: string }[] }): string[] =>
  answer.predictions.map((one) => one.class).toSorted();
const query = (words: string): string => `?topK=1000&${words}`;

describe('POST /classify', () => {
  test('only classes that are named answer, and their probabilities add up to 1', async () => {
    const { body } = await postPicture(url, 1, query(`classes=${names[0]},${names[2]}`));
    expect(classifyResponseSchema.parse(body)).toEqual(body);
    expect(classesOf(body)).toEqual([names[0], names[2]]);
    const total = body.predictions.reduce(
      (sum: number, one: { probability: number }) => sum + one.probability,
      0,
    );
    expect(total).toBeCloseTo(1, 6);
    const repeated = await postPicture(url, 1, query(`classes=${names[2]}&classes=${names[0]}`));
    expect(repeated.body.predictions).toEqual(body.predictions);
  });

  test('a name with a comma is found whole, in a list, and percent-encoded', async () => {
    const encoded = encodeURIComponent(withComma);
    for (const words of [`classes=${encoded}`, `classes=${withComma}`])
      expect(classesOf((await postPicture(url, 1, query(words))).body)).toEqual([withComma]);
    const listed = await postPicture(url, 1, query(`classes=${names[0]},${encoded},Bunting`));
    expect(classesOf(listed.body)).toEqual([names[0], withComma, 'Bunting'].toSorted());
    const three = await client.classify(await numbered(1), { classes: [withComma, 'Bunting'], topK: 9 });
    expect(classesOf(three)).toEqual(['Bunting', withComma]);
  });

  test('a group answers, several do, and together with names', async () => {
    expect(classesOf((await postPicture(url, 1, query('group=small'))).body)).toEqual(names.slice(0, 3));
    expect(classesOf((await postPicture(url, 1, query('group=small,large'))).body)).toEqual(
      names.slice(0, 5),
    );
    const both = await postPicture(url, 1, query(`group=large&classes=Bunting`));
    expect(classesOf(both.body)).toEqual(['Bunting', ...names.slice(3, 5)].toSorted());
  });

  test('more than a thousand parameters are all read', async () => {
    const words = `${'group=small&'.repeat(1100)}classes=Bunting`;
    expect(classesOf((await postPicture(url, 1, query(words))).body)).toContain('Bunting');
  });

  test('what is not known is refused with 422 and what was meant', async () => {
    const typo = await postPicture(url, 1, `?classes=${names[0]},Buntin`);
    expect([typo.status, typo.body.code]).toEqual([422, 'class-unknown']);
    expect(typo.body.detail).toContain('there is no class "Buntin". Did you mean "Bunting"');
    expect(typo.body.errors).toEqual([{ pointer: '/classes', detail: expect.stringContaining('Buntin') }]);
    const group = await postPicture(url, 1, '?group=smal');
    expect(group.body.detail).toContain('there is no group "smal". Did you mean "small"');
    const family = await postPicture(url, 1, '?groupBy=sise');
    expect([family.status, family.body.detail]).toEqual([
      422,
      expect.stringContaining('Did you mean "size"'),
    ]);
    expect((await postPicture(url, 1, '?classes=')).status).toBe(422);
    expect((await postPicture(url, 1, '?classes=,,')).status).toBe(422);
    const outside = await postPicture(url, 1, `?group=small&scoresOf=Bunting`);
    expect([outside.status, outside.body.errors[0].pointer]).toEqual([422, '/scoresOf']);
  });

  test.each([
    ['minProbability=2', 'a number from 0 to 1 is expected'],
    ['minProbability=-1', 'a number from 0 to 1 is expected'],
    ['minProbability=often', 'a number from 0 to 1 is expected'],
    ['unknownAt=1.5', 'a number from 0 to 1 is expected'],
    ['unknownAt=0.5&unknownAt=0.6', 'only once'],
    ['topK=2&topK=3', 'only once'],
  ])('?%s is refused with what is expected', async (words, expected) => {
    const { status, body } = await postPicture(url, 1, `?${words}`);
    expect([status, body.detail]).toEqual([400, expect.stringContaining(expected)]);
  });

  test('a least probability may be written as .5 and 1e-3', async () => {
    for (const least of ['.5', '1e-3'])
      expect((await postPicture(url, 1, `?minProbability=${least}`)).status).toBe(200);
  });

  test('a group whose classes are all gone says so', async () => {
    await client.createClass({ name: 'short-lived', attributes: vector(0.8) });
    await client.putGroup('emptied', { classes: ['short-lived'] });
    await client.removeClass('short-lived', '*');
    const { status, body } = await postPicture(url, 1, '?group=emptied');
    expect([status, body.code]).toEqual([422, 'class-unknown']);
    expect(body.detail).toContain('"emptied"');
    await client.removeGroup('emptied', '*');
  });

  test('scores, a least probability and a roll-up come with the answer', async () => {
    const { body } = await postPicture(url, 1, `?topK=1&scoresOf=Bunting,${names[0]}&groupBy=size`);
    expect(classifyResponseSchema.parse(body)).toEqual(body);
    expect(body.scores.map((one: { class: string }) => one.class)).toEqual(['Bunting', names[0]]);
    expect(body.rollUp.family).toBe('size');
    expect(body.rollUp.groups).toHaveLength(1);
    const none = await postPicture(url, 1, '?minProbability=1');
    expect([none.status, none.body.predictions]).toEqual([200, []]);
    const explained = await postPicture(url, 1, '?minProbability=1&explain=true');
    expect(explained.body.explanation.classes).toEqual([]);
  });

  test('a family is found however its letters are written', async () => {
    const [composed, decomposed] = ['Größe'.normalize('NFC'), 'Größe'.normalize('NFD')];
    await client.putGroup('tall', { classes: [names[0]], family: composed });
    const { status, body } = await postPicture(url, 1, `?groupBy=${encodeURIComponent(` ${decomposed}`)}`);
    expect([status, body.rollUp.family]).toEqual([200, composed]);
    const listed = await fetch(`${url}/groups?family=${encodeURIComponent(decomposed)}`);
    expect(await listed.json()).toMatchObject({ total: 1, groups: [{ name: 'tall' }] });
    await client.removeGroup('tall', '*');
  });

  test('a form of several pictures is answered with the same restriction', async () => {
    const pictures = await Promise.all([1, 2, 3].map((number) => numbered(number)));
    const answer = await client.classifyMany(pictures, {
      groups: ['small'],
      scoresOf: [names[1]],
      groupBy: 'size',
    });
    expect(classifyManyResponseSchema.parse(answer)).toEqual(answer);
    expect(answer.pictures).toHaveLength(3);
    for (const picture of answer.pictures) {
      if ('problem' in picture) throw new Error(picture.problem.detail);
      expect(classesOf(picture)).toEqual(names.slice(0, 3));
      expect(picture.scores).toHaveLength(1);
      expect(picture.rollUp!.groups[0]).toMatchObject({ group: 'small' });
    }
    const single = await client.classifyMany(pictures.slice(0, 1), { scoresOf: [names[1]] });
    expect(single.pictures[0]).toMatchObject({ scores: [{ class: names[1] }] });
  });
});

describe('the Open Inference Protocol', () => {
  test('takes the same as parameters, and answers scores and groups as tensors', async () => {
    const bytes = (await numbered(1)).toString('base64');
    const parameters = {
      classes: [names[0], withComma],
      group: 'small',
      scores_of: names[0],
      group_by: 'size',
    };
    const { body } = await infer(url, { parameters, inputs: [image([bytes])] });
    const output = (name: string) => body.outputs.find((one) => one.name === name)!;
    expect(output('class').data!.toSorted()).toEqual([withComma, ...names.slice(0, 3)].toSorted());
    expect(output('score')).toMatchObject({ shape: [1, 1], datatype: 'FP32' });
    expect(output('group')).toMatchObject({ shape: [1, 1], data: ['small'] });
    const { body: http } = await postPicture(
      url,
      1,
      `?classes=${names[0]}&classes=${withComma}&group=small&groupBy=size`,
    );
    expect(output('group_probability').data![0]).toBeCloseTo(http.rollUp.groups[0].probability, 5);
  });

  test('rows of different lengths are filled up; what is not known is refused', async () => {
    const bytes = await Promise.all(
      [1, 2].map(async (number) => (await numbered(number)).toString('base64')),
    );
    const { body } = await infer(url, {
      parameters: { min_probability: 0.08, top_k: 50 },
      inputs: [image(bytes)],
    });
    const [classes, probabilities] = body.outputs;
    expect(classes.data).toHaveLength(classes.shape[0] * classes.shape[1]);
    expect(classes.data).toContain(''); // one picture has fewer likely classes than the other
    classes.data!.forEach((name, i) => {
      if (name === '') expect(probabilities.data![i]).toBe(0);
      else expect(probabilities.data![i]).toBeGreaterThanOrEqual(0.08);
    });
    const refused = await infer(url, { parameters: { classes: 'Buntin' }, inputs: [image(bytes)] });
    expect([refused.status, refused.body.error]).toEqual([
      422,
      expect.stringContaining('Did you mean "Bunting"'),
    ]);
  });
});
