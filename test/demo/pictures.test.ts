import { expect, it } from 'vitest';
import { silent } from '../../core/progress.js';
import { inventedFlags } from '../../demo/flags/invented.js';
import { letterFlags } from '../../demo/flags/letters.js';
import { drawPictures, planPictures } from '../../demo/flags/pictures.js';

const counts = { train: 3, testSeen: 2, testUnseen: 4 };

it('no letter flag is for training', () => {
  const letters = new Set(letterFlags.map(({ name }) => name));
  const planned = planPictures(counts);
  expect(planned).toHaveLength(inventedFlags.length * 5 + letterFlags.length * 4);
  for (const { flag, split } of planned)
    expect(split === 'test-unseen', flag.name).toBe(letters.has(flag.name));
});

it('every picture has a name of its own', () => {
  const names = planPictures(counts).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

it('drawing more pictures changes none of the others', async () => {
  const planned = planPictures(counts);
  const few = await drawPictures(planned.slice(4, 6), 1, silent);
  const more = await drawPictures(planned.slice(0, 7), 1, silent);
  expect(few).toHaveLength(2);
  few.forEach(({ name, content }, i) => {
    expect(name).toBe(more[4 + i].name);
    expect(Buffer.compare(content, more[4 + i].content)).toBe(0);
  });
});

it('another seed draws other pictures', async () => {
  const [planned] = planPictures(counts);
  const [one] = await drawPictures([planned], 1, silent);
  const [two] = await drawPictures([planned], 2, silent);
  expect(Buffer.compare(one.content, two.content)).not.toBe(0);
});
