/** Descriptions of attributes: from a table of their own to wherever an attribute is shown. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noteInWords } from '../../../core/head/attribute-words.js';
import { attributesResponseSchema } from '../../../server/contract/schemas.js';
import { checkAttributes } from '../../../server/classes/attribute-vector.js';
import { describeAttribute } from '../../../server/playground/state/attribute-families.js';
import { attributeNotesFile, readAttributeNotes } from '../../../trainer/datasets/attribute-notes.js';
import { fingerprint } from '../../../trainer/datasets/fingerprint.js';
import { loadDataset } from '../../../trainer/datasets/load.js';
import { writeOpenForm } from '../../../trainer/datasets/write-open-form.js';
import { smallFeatureWidth, trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';
import { temporaryFolder } from '../../support/folders.js';
import { send, startTestServer } from '../../support/test-server.js';

const folder = temporaryFolder();
let counter = 0;
function put(text: string): string {
  const path = join(folder, `notes-${counter++}.csv`);
  writeFileSync(path, text);
  return path;
}

describe('a table of descriptions', () => {
  test('is read as people write it, in the order of the attributes', async () => {
    const path = put('\ufeffattribute;unit;description\nbill;cm;its length, tip to base\ncolour;;\n');
    expect(await readAttributeNotes(path, ['colour', 'bill', 'size'])).toEqual([
      {},
      { unit: 'cm', description: 'its length, tip to base' },
      null,
    ]);
  });

  test('a text that a comma cuts in two is a mistake, not half a text', async () => {
    const path = put('attribute,description\nbill,its length, tip to base\nsize,"small, or not",\n');
    await expect(readAttributeNotes(path, ['bill', 'size'])).rejects.toThrow(
      /line 2 has 3 cells for 2 columns\. Put a text with commas between double quotes\.$/,
    );
  });

  test('every mistake is named at once, with what was meant', async () => {
    const path = put('attribute,descripton\nbil,its length\nsize,a\nsize,b\n');
    const failure = await readAttributeNotes(path, ['bill', 'size']).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'dataset-invalid' });
    const { message } = failure as Error;
    expect(message).toContain(
      'no column "descripton"; there are description, unit, family. Did you mean "description"?',
    );
    expect(message).toContain('line 2: there is no attribute "bil". Did you mean "bill"?');
    expect(message).not.toContain('cells for');
    expect(message).toContain('line 4: the attribute "size" has a line already');
  });
});

test('travels with a dataset, and changes nothing that training sees', async () => {
  const plain = syntheticDataset();
  const [first] = plain.attributeNames;
  const attributeNotes = plain.attributeNames.map((name) =>
    name === first ? { description: 'how round, "about"', unit: '%' } : null,
  );
  const [one, other] = [join(folder, 'one'), join(folder, 'other')];
  await writeOpenForm({ ...plain, attributeNotes }, one);
  const loaded = await loadDataset(one);
  expect(loaded.attributeNotes).toEqual(attributeNotes);
  expect(fingerprint(loaded)).toBe(fingerprint(plain));
  // Put beside an existing dataset by hand, it is read as well.
  await writeOpenForm(plain, other);
  expect((await loadDataset(other)).attributeNotes).toBeUndefined();
  copyFileSync(join(one, attributeNotesFile), join(other, attributeNotesFile));
  expect((await loadDataset(other)).attributeNotes).toEqual(attributeNotes);
});

test('is in the bundle, in GET /attributes, in warnings of a new class and in the title of its slider', async () => {
  const note = { description: 'its length', unit: 'cm', family: 'bill' };
  const plain = syntheticDataset({ featureWidth: smallFeatureWidth });
  const attributeNotes = plain.attributeNames.map((_, k) => (k === 0 ? note : null));
  const { bundle } = await trainSmallBundle(join(folder, 'bundle'), 1, { ...plain, attributeNotes });
  const { attributes } = bundle.manifest;
  expect(attributes[0]).toMatchObject(note);
  expect(Object.keys(attributes[1])).toEqual(['name', 'minimum', 'maximum']); // as in bundles from before
  const { url } = await startTestServer({ bundle: () => bundle });
  const body = (await send(`${url}/attributes`)).body as { attributes: object[] };
  expect(attributesResponseSchema.parse(body)).toEqual(body);
  expect(body.attributes[0]).toMatchObject(note);

  const [{ name, maximum }] = attributes;
  // The largest value of training is kept in single precision: the number that a table has for it is none beyond it.
  expect(checkAttributes({ [name]: maximum + 1e-9 }, bundle.manifest, 'warn', []).warnings).toEqual([]);
  const { warnings } = checkAttributes({ [name]: maximum + 0.1 }, bundle.manifest, 'warn', []);
  expect(warnings[0]).toMatch(new RegExp(`^${name} \\(its length, in cm\\): `));
  expect(describeAttribute(attributes[0])).toMatchObject({ family: 'bill', title: 'its length, in cm' });
  expect(describeAttribute(attributes[1])).not.toHaveProperty('title');
  expect(noteInWords({})).toBe('');
});
