import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { MoveByClass } from '../../../cli/classify/move-by-class.js';
import { temporaryFolder } from '../../support/folders.js';

const folder = temporaryFolder();
let [root, picture] = ['', ''];
let counter = 0;
beforeEach(() => {
  root = join(folder, `sorted-${counter}`);
  picture = join(folder, `${counter++}.png`);
  writeFileSync(picture, 'picture');
});

const answer = (name: string, verdict = 'known') => ({ class: name, verdict, model: 'one' });

test('a picture that looks like none of the classes goes into a folder of its own', async () => {
  await new MoveByClass(root, false).move(picture, answer('gnu', 'unknown'));
  expect(readdirSync(root)).toEqual(['none of these']);
  expect(existsSync(picture)).toBe(false);
});

test('or to the nearest class, where that is wanted', async () => {
  await new MoveByClass(root, true).move(picture, answer('gnu', 'unknown'));
  expect(readdirSync(root)).toEqual(['gnu']);
});

test('a picture without a class stays where it is', async () => {
  await new MoveByClass(root, false).move(picture, answer(''));
  await new MoveByClass(root, true).move(picture, answer('', 'unknown'));
  expect([existsSync(picture), existsSync(root)]).toEqual([true, false]);
});

test('a picture that is gone is counted, and leaves nothing behind', async () => {
  const mover = new MoveByClass(root, false);
  await mover.move(picture, answer('gnu'));
  await mover.move(picture, answer('gnu'));
  expect([mover.gone, readdirSync(join(root, 'gnu'))]).toEqual([1, [`${counter - 1}.png`]]);
});

test('what cannot be moved is told with the reason, and leaves nothing behind', async () => {
  writeFileSync(root, 'a file');
  await expect(new MoveByClass(root, false).move(picture, answer('gnu'))).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`Cannot move ${picture} to ${root}`) as string,
  });
  const full = `${root}-of-folders`;
  mkdirSync(join(picture.replace('.png', '.folder')));
  // A folder cannot take the place of a file, which is what a move that fails half-way is like.
  const moved = new MoveByClass(full, false).move(picture.replace('.png', '.folder'), answer('gnu'));
  await expect(moved).rejects.toMatchObject({ code: 'usage' });
  expect(readdirSync(join(full, 'gnu'))).toEqual([]);
});
