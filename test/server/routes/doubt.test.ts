/** What the server says of its own answers over HTTP: verdict and novelty, and what a dry run holds against a class. */
import { describe, expect, test } from 'vitest';
import { UnseenClient } from '../../../client/index.js';
import { serverKey } from '../../../fixtures/server-key.js';
import { smallFeatureWidth, trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';
import { temporaryFolder } from '../../support/folders.js';
import { numbered } from '../../support/pictures.js';
import { postPicture, send, startTestServer } from '../../support/test-server.js';

const { bundle } = await trainSmallBundle(temporaryFolder());
const { url } = await startTestServer({ bundle: () => bundle });
const client = new UnseenClient({ url, key: serverKey, retries: 0 });
const { attributes, classes } = bundle.manifest;

describe('unknownAt', () => {
  test('decides from which novelty on a picture is called unknown, and changes nothing else', async () => {
    const usual = (await postPicture(url, 3)).body;
    const at = async (threshold: string) => (await postPicture(url, 3, `?unknownAt=${threshold}`)).body;
    const { novelty } = usual as { novelty: number };
    expect(novelty >= 0 && novelty <= 1).toBe(true);
    expect(await at('0')).toMatchObject({ verdict: 'unknown', novelty, predictions: usual.predictions });
    expect(novelty).toBeLessThan(1);
    expect((await at('1')).verdict).not.toBe('unknown');
    expect((await client.classify(await numbered(3), { unknownAt: 0 })).verdict).toBe('unknown');
    for (const bad of ['2', '-0.1', 'high', '']) expect(await at(bad)).toMatchObject({ status: 400 });
  });

  test('holds for restricted answers too, whose novelty is over the classes that may answer', async () => {
    const names = classes.slice(0, 2).map(({ name }) => name);
    const query = `?classes=${names.join(',')}&unknownAt=0&minProbability=0.999999`;
    const { body } = await postPicture(url, 3, query);
    expect(body.verdict).toBe('unknown');
    expect(body.predictions.length).toBeLessThanOrEqual(1);
  });
});

describe('a dry run', () => {
  const own = (c: number): Record<string, number> =>
    Object.fromEntries(attributes.map(({ name }, k) => [name, classes[c].attributes[k]]));

  test('calls a vector like those of training plausible, and says what is to be expected of it', async () => {
    const mean = Object.fromEntries(
      attributes.map(({ name }, k) => [name, (classes[0].attributes[k] + 3 * classes[1].attributes[k]) / 4]),
    );
    const { previews } = await client.previewClasses([{ name: 'between', attributes: mean }]);
    expect(previews[0]).toMatchObject({ name: 'between', plausible: true, problems: [] });
    const { expected, recognised, nearest } = previews[0];
    if (expected !== null) expect(expected >= 0 && expected <= 1).toBe(true);
    expect(recognised >= 0 && recognised <= 1).toBe(true);
    expect(classes.map(({ name }) => name)).toContain(nearest[0].name);
    expect((await client.classes({ kind: 'runtime' })).classes).toEqual([]);
  });

  test('refuses to believe in values far outside of what training saw, and names them', async () => {
    const far = { ...own(0), [attributes[0].name]: attributes[0].maximum + 5 };
    const { previews } = await client.previewClasses([{ name: 'extreme', attributes: far }]);
    expect(previews[0].plausible).toBe(false);
    expect(previews[0].problems[0]).toContain(`${attributes[0].name} is`);
    expect(previews[0].problems[0]).toContain('far outside of what training saw');
    expect(previews[0].expected).toBeNull(); // whatever its made-up features promise
  });

  test('what would be likelier differs from what was given, and small values are not rounded away', async () => {
    const nothing = Object.fromEntries(attributes.map(({ name }) => [name, 1e-7]));
    const { previews } = await client.previewClasses([{ name: 'nothing', attributes: nothing }]);
    const [change = ''] = previews[0].problems.filter((problem) => problem.includes('this combination'));
    const pairs = [...change.matchAll(/(\S+) instead of ([^,\s]+?)[,.](?:\s|$)/g)];
    expect(pairs.length).toBeGreaterThan(0);
    for (const [, likely, given] of pairs) {
      expect(given).toBe('1e-7');
      expect(likely).not.toBe(given);
    }
  });

  test('an attribute in which no class of training differs speaks against no class; a warning says that it is ignored', async () => {
    const dataset = syntheticDataset({ featureWidth: smallFeatureWidth });
    const { rows, columns, data } = dataset.attributes;
    for (let row = 0; row < rows; row++) data[row * columns] = 0; // nobody has any of the first attribute
    const other = (await trainSmallBundle(temporaryFolder(), 1, dataset)).bundle;
    const served = await startTestServer({ bundle: () => other });
    const { classes: others, attributes: known } = other.manifest;
    const [seen] = others.filter((one) => one.seen);
    const previewed = async (first: number) => {
      const one = { name: 'a new feature', attributes: [first, ...seen.attributes.slice(1)] };
      const { url: at } = served;
      return (await new UnseenClient({ url: at, key: serverKey }).previewClasses([one])).previews[0];
    };
    const [without, having] = [await previewed(0), await previewed(1)];
    expect(having).toMatchObject({ plausible: true, problems: [], recognised: without.recognised });
    expect(having.expected).toBe(without.expected);
    const ignored = `${known[0].name}: the classes of training all have 0, so the model ignores it`;
    expect(having.warnings).toEqual([ignored, ...(without.warnings ?? [])]);
    await expect(previewed(1e30)).rejects.toThrow('outside the range'); // no unit has such values
  });

  test('warns of attributes that are nearly those of another class, as long as no pictures tell the two apart', async () => {
    const warned = async (pictures: readonly Uint8Array[]): Promise<string> => {
      const copy = { name: 'a copy', attributes: own(1) };
      const { previews } = await client.previewClass(copy, {
        pictures: pictures.map((picture, i) => ({ name: `${i}.png`, picture })),
      });
      return (previews[0].warnings ?? []).join();
    };
    expect(await warned([])).toContain(`nearly those of "${classes[1].name}"`);
    expect(await warned([await numbered(1)])).toBe('');
  });

  test('warns of the name of a class that was added with other attributes', async () => {
    const warned = async (c: number): Promise<string> => {
      const { previews } = await client.previewClasses([{ name: 'added', attributes: own(c) }]);
      return (previews[0].warnings ?? []).join();
    };
    await client.createClass({ name: 'added', attributes: own(2) });
    expect(await warned(2)).not.toContain('of this name');
    expect(await warned(3)).toContain('it would replace the class of this name, which has other attributes');
    await client.removeClass('added', '*');
    expect(await warned(3)).not.toContain('of this name');
  });

  test('says what pictures would become, and warns of a name that is nearly taken', async () => {
    const similar = `${classes[0].name}s`;
    const { previews } = await client.previewClass(
      { name: similar, attributes: own(1) },
      { pictures: [{ name: 'a.png', picture: await numbered(1) }] },
    );
    const [{ pictures = [], warnings = [] }] = previews;
    expect(pictures).toMatchObject([{ name: 'a.png' }]);
    expect(pictures[0].probability).toBeGreaterThan(0);
    expect(warnings.join()).toContain(`nearly that of "${classes[0].name}"`);
    const taken = await send(`${url}/classes?dryRun=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: classes[0].name, attributes: own(1) }),
    });
    expect([taken.status, taken.body.code]).toEqual([409, 'conflict']);
  });
});
