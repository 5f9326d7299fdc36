/** A bundle whose training had a few pictures of an unseen class, served. */
import { expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { takeRows } from '../../../core/matrix.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { addedExamplesSchema, classSchema } from '../../../server/contract/class-schemas.js';
import { temporaryFolder } from '../../support/folders.js';
import { numbered } from '../../support/pictures.js';
import { postPicture, send, startTestServer } from '../../support/test-server.js';

const { bundle: plain } = await trainSmallBundle(temporaryFolder());
const own = plain.manifest.classes.findIndex(({ seen }) => !seen);
const { name } = plain.manifest.classes[own];
const bundle: Bundle = {
  ...plain,
  manifest: {
    ...plain.manifest,
    classes: plain.manifest.classes.map((one, c) => (c === own ? { ...one, fewShot: 2 } : one)),
  },
  examples: new Map([[own, takeRows(plain.replay.features, [0, 1])]]),
};
const { url } = await startTestServer({ bundle: () => bundle });
const path = `${url}/classes/${encodeURIComponent(name)}`;

async function probability(server = url): Promise<number> {
  const { body } = await postPicture(server, 3, '?topK=1000');
  const predictions = body.predictions as { class: string; probability: number }[];
  return predictions.find((one) => one.class === name)!.probability;
}

test('its pictures are what it rests on, beside those that are added; taking these away leaves the former', async () => {
  const before = await send(path);
  expect(classSchema.parse(before.body)).toEqual(before.body);
  expect(before.body).toMatchObject({ seen: false, examples: 0, restsOn: { training: false, pictures: 2 } });
  const trained = await probability();

  const headers = { 'content-type': 'image/png' };
  const picture = (await numbered(3)) as Uint8Array<ArrayBuffer>;
  expect((await send(`${path}/examples`, { method: 'POST', headers, body: picture })).status).toBe(201);
  expect((await send(path)).body).toMatchObject({ examples: 1, restsOn: { pictures: 3 } });
  expect(await probability()).toBeGreaterThan(trained); // of the picture that was added

  const removed = await send(`${path}/examples`, { method: 'DELETE', headers: { 'if-match': '*' } });
  expect(removed.status).toBe(204);
  expect((await send(path)).body).toMatchObject({ examples: 0, restsOn: { pictures: 2 } });
  expect(await probability()).toBe(trained);
});

test('a dry run judges a picture beside those that training had', async () => {
  const body = new FormData();
  body.append('image', new Blob([Uint8Array.from(await numbered(3))]), 'third.png');
  const { status, body: tried } = await send(`${path}/examples?dryRun=true`, { method: 'POST', body });
  expect([status, addedExamplesSchema.parse(tried)]).toEqual([200, tried]);
  const [picture] = tried.preview.pictures as { name: string; own: number }[];
  expect(picture.name).toBe('third.png');
  expect(picture.own).toBeCloseTo(await probability(), 2);
});

test('it gets less of the bias on unseen classes than without pictures', async () => {
  const without = await startTestServer({ bundle: () => plain });
  const bias = plain.manifest.head.unseenBias;
  expect(Math.sign((await probability(without.url)) - (await probability()))).toBe(Math.sign(bias));
});
