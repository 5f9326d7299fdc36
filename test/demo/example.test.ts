import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attributeNotes } from '../../demo/flags/attribute-notes.js';
import { attributeNames } from '../../demo/flags/attributes.js';
import { writeExample } from '../../demo/flags/example.js';
import { inventedFlags } from '../../demo/flags/invented.js';
import { letterFlags } from '../../demo/flags/letters.js';
import { readAttributeNotes } from '../../trainer/datasets/attribute-notes.js';
import { readAttributes } from '../../trainer/extraction/attributes.js';
import { listFolders } from '../../trainer/extraction/list-pictures.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const [invented, letters] = [inventedFlags.slice(0, 2), letterFlags.slice(0, 1)];
await writeExample(folder, { invented, letters }, 2);

test('extraction takes every picture of the example, and a class for each', async () => {
  const { pictures, leftOut } = await listFolders(join(folder, 'pictures'));
  expect(leftOut).toEqual([]);
  expect(pictures.map(({ className }) => className).sort()).toEqual(
    invented.flatMap(({ name }) => [name, name]).sort(),
  );
});

test('its table describes classes with and without pictures; the newcomer has a table of its own', async () => {
  const described = await readAttributes(join(folder, 'attributes.csv'));
  expect(described.leftOut).toEqual([]);
  expect(described.attributeNames).toEqual(attributeNames);
  expect(described.classNames).toEqual([...invented, ...letters].map(({ name }) => name));
  const added = await readAttributes(join(folder, 'new-class.csv'));
  expect([added.classNames, added.attributeNames]).toEqual([['Rising sun'], attributeNames]);
});

test('a second table says what each attribute is', async () => {
  const notes = await readAttributeNotes(join(folder, 'attribute-notes.csv'), attributeNames);
  expect(notes).toEqual(attributeNotes);
  expect(new Set(attributeNotes.map(({ description }) => description)).size).toBe(attributeNames.length);
});
