/** GET /attributes: the bias that pictures are answered with, for as many unseen classes as compete now. */
import { expect, test } from 'vitest';
import { sharpnessFor } from '../../../core/head/sharpness.js';
import { unseenBiasFor } from '../../../core/head/unseen-bias.js';
import { attributesResponseSchema } from '../../../server/contract/schemas.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { temporaryFolder } from '../../support/folders.js';
import { postPicture, send, startTestServer } from '../../support/test-server.js';

const { bundle: trained } = await trainSmallBundle(temporaryFolder());
const head = { ...trained.manifest.head, unseenBias: 0.5, unseenBiasSlope: -0.7, unseenBiasClasses: 10 };
const bundle = { ...trained, manifest: { ...trained.manifest, head } };
const { url } = await startTestServer({ bundle: () => bundle });
const own = trained.manifest.classes.filter(({ seen }) => !seen);

const vector = (value: number): number[] => trained.manifest.attributes.map((_, k) => (value + k / 10) % 1);
const reported = async (): Promise<number> => {
  const { status, body } = await send(`${url}/attributes`);
  expect(status).toBe(200);
  expect(attributesResponseSchema.parse(body)).toEqual(body);
  return (body as { unseenBias: { default: number } }).unseenBias.default;
};

interface Prediction {
  readonly class: string;
  readonly probability: number;
  readonly seen: boolean;
}

/** The bias in the answers: what it takes from the odds of an unseen class against a seen one to ask for none. Scores are sharpened first. */
async function used(): Promise<number> {
  const logOdds = async (query: string): Promise<number> => {
    const { body } = await postPicture(url, 1, `?topK=1000${query}`);
    const { predictions } = body as { predictions: readonly Prediction[] };
    const logOf = (name: string): number =>
      Math.log(predictions.find((one) => one.class === name)!.probability);
    const logarithms = logOf(own[0].name) - logOf(trained.manifest.classes.find(({ seen }) => seen)!.name);
    return logarithms / sharpnessFor(trained.manifest.confidence!, predictions[0].seen ? 0 : 1);
  };
  return (await logOdds('')) - (await logOdds('&unseenBias=0'));
}

test('the bias reported is that for the number of unseen classes, as classes come and go, and answers have it', async () => {
  const expectBias = async (competing: number): Promise<void> => {
    const expected = unseenBiasFor(head, competing);
    expect(await reported()).toBeCloseTo(expected, 9);
    expect(await used()).toBeCloseTo(expected, 4);
  };
  expect(own).toHaveLength(4);
  await expectBias(4);
  const classes = ['new a', 'new b', 'new c'].map((name, i) => ({ name, attributes: vector(i / 5) }));
  const created = await send(`${url}/classes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ classes }),
  });
  expect(created.status).toBe(201);
  await expectBias(7);
  const headers = { 'if-match': '*' };
  expect((await send(`${url}/classes/new%20b`, { method: 'DELETE', headers })).status).toBe(204);
  await expectBias(6);
});
