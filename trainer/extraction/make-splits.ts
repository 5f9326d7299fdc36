/**
 * Splits by seed, where none are given: some classes are kept unseen, and some pictures of each seen class are kept to
 * test with. A class draws from a stream of its own, so that adding or removing another class does not change its split.
 */
import { Failure } from '../../core/failures.js';
import { Random } from '../../core/random.js';
import { fewShotAmong, usualFewRows } from '../datasets/few-shot.js';
import type { SplitName } from './list-pictures.js';

export interface SplitOptions {
  /** Classes to keep unseen, by name; a share of them by seed when it is left out. */
  readonly unseenClasses?: readonly string[];
  readonly unseenFraction: number;
  readonly testFraction: number;
  /** Classes with at most so many training pictures are few-shot classes, where enough others are left; 0 for none. */
  readonly fewShot: number;
  readonly seed: number;
}

export const defaultSplitOptions: SplitOptions = {
  unseenFraction: 0.2,
  testFraction: 0.2,
  fewShot: usualFewRows,
  seed: 1,
};

/** One split for each picture, by the name of its class. */
export function makeSplits(classOfPicture: readonly string[], options: SplitOptions): SplitName[] {
  const pictures = new Map<string, number[]>();
  classOfPicture.forEach((name, index) => {
    const known = pictures.get(name);
    if (known) known.push(index);
    else pictures.set(name, [index]);
  });
  const unseen = chooseUnseen([...pictures.keys()].sort(), options);
  const splits = new Array<SplitName>(classOfPicture.length).fill('train');
  for (const [name, rows] of pictures) {
    if (unseen.has(name)) {
      for (const row of rows) splits[row] = 'test-unseen';
      continue;
    }
    const shuffled = Random.stream(options.seed, `test pictures of ${name}`).shuffle([...rows]);
    // At least one picture is kept for training and, of several, at least one for testing.
    const share = Math.max(1, Math.round(options.testFraction * rows.length));
    const kept = options.testFraction === 0 ? 0 : Math.min(share, rows.length - 1);
    for (const row of shuffled.slice(0, kept)) splits[row] = 'test-seen';
  }
  const isTrained = (row: number): boolean => splits[row] === 'train';
  const counts = new Map(
    [...pictures].flatMap(([name, rows]) =>
      unseen.has(name) ? [] : [[name, rows.filter(isTrained).length]],
    ),
  );
  for (const name of fewShotAmong(counts, options.fewShot))
    for (const row of pictures.get(name)!) splits[row] = isTrained(row) ? 'few-shot' : 'test-unseen';
  return splits;
}

function chooseUnseen(classes: readonly string[], options: SplitOptions): Set<string> {
  const { unseenClasses, unseenFraction, seed } = options;
  if (unseenClasses) {
    const chosen = new Set(unseenClasses);
    if (classes.every((name) => chosen.has(name)))
      throw new Failure(
        'config-invalid',
        'Every class with pictures is to be unseen: leave some to train on.',
      );
    return chosen;
  }
  const order = Random.stream(seed, 'unseen classes').shuffle(classes.map((_, index) => index));
  const wanted = unseenFraction === 0 ? 0 : Math.max(1, Math.round(unseenFraction * classes.length));
  return new Set(order.slice(0, Math.min(wanted, classes.length - 1)).map((index) => classes[index]));
}
