import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backboneOf, keepBackbone, openBackbone } from '../../../core/backbone/backbone.js';
import { loadCatalogue, type BackboneEntry } from '../../../core/backbone/catalogue.js';
import { Quantiser } from '../../../core/backbone/quantisation/quantise.js';
import { sha256Of } from '../../../core/hash.js';
import { silent } from '../../../core/progress.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import { checkInt8 } from '../../../trainer/extraction/check-int8.js';
import { temporaryFolder } from '../../support/folders.js';

const folder = temporaryFolder();
process.env.UNSEEN_CACHE = folder;
const float = smallBackbone();
const quantiser = Quantiser.of(float.model);

/** With ranges wide enough for the small network, or so narrow that nearly nothing is left of it. */
async function keepInt8(name: string, reach: number, from = 'small'): Promise<void> {
  const model = quantiser.write(
    Object.fromEntries(quantiser.points.map((point) => [point, [-reach, reach] as [number, number]])),
  );
  const source = { kind: 'quantised', from, sha256: sha256Of(float.model), ranges: null } as const;
  const entry: BackboneEntry = { ...float.entry, name, source, sha256: sha256Of(model) };
  await keepBackbone(loadCatalogue(), backboneOf(entry, model).entry, model);
}

await keepBackbone(loadCatalogue(), float.entry, float.model);
await keepInt8('small-int8', 2);
await keepInt8('small-saturated', 0.002);
await keepInt8('small-orphan', 2, 'elsewhere');

async function notesOf(name: string): Promise<string[]> {
  const notes: string[] = [];
  const watcher = { ...silent, note: (line: string) => void notes.push(line) };
  await checkInt8(await openBackbone(name, silent), { threads: 1 }, watcher);
  return notes;
}

test('a float network is not checked', async () => {
  expect(await notesOf('small')).toEqual([]);
});

test('an int8 network whose features are far from the float ones on this machine is refused', async () => {
  await expect(notesOf('small-saturated')).rejects.toMatchObject({
    code: 'backbone-invalid',
    message: expect.stringMatching(
      /small-saturated cannot be used on this machine: .*cosine of only.*--backbone small,/,
    ) as string,
  });
});

test('one that is right but hardly faster is used, with a note', async () => {
  await notesOf('small-int8');
  const file = join(folder, 'small-int8', 'machine-checks.json');
  const outcomes = async (speedUp: number): Promise<string[]> => {
    const known = JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>;
    const changed = Object.entries(known).map(([key, outcome]) => [key, { ...outcome, speedUp }]);
    writeFileSync(file, JSON.stringify(Object.fromEntries(changed)));
    return notesOf('small-int8');
  };
  expect(await outcomes(3)).toEqual([]);
  expect((await outcomes(1.1)).join()).toContain('small-int8 gains little on this machine: it is only 1.10');
});

test('without the float network there is nothing to compare with, which is noted', async () => {
  expect((await notesOf('small-orphan')).join()).toContain('is not checked on this machine');
});
