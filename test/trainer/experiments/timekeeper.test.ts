import { expect, test } from 'vitest';
import type { Watcher } from '../../../core/progress.js';
import { silent } from '../../../core/progress.js';
import { Timekeeper } from '../../../trainer/experiments/timekeeper.js';

/** Steps that take as long as is said, and what is noted after each. */
async function notesOf(kinds: readonly string[], steps: readonly [string, number][]): Promise<string[]> {
  const notes: string[] = [];
  const watcher: Watcher = { ...silent, note: (text) => void notes.push(text) };
  let seconds = 0;
  const time = new Timekeeper(kinds, watcher, () => 1000 * seconds);
  for (const [kind, duration] of steps)
    await time.step(kind, kind, () => {
      seconds += duration;
      return Promise.resolve();
    });
  return notes;
}

test('steps of a kind are taken to last as long as those of that kind did', async () => {
  const kinds = ['quick', 'slow', 'slow', 'slow', 'quick'];
  const notes = await notesOf(kinds, [
    ['quick', 2],
    ['slow', 600],
    ['slow', 1200],
    ['slow', 600],
    ['quick', 2],
  ]);
  expect(notes).toEqual([
    '1/5 quick, a few seconds left', // so far nothing has been slow
    '2/5 slow, about 20 minutes left', // two slow ones and a quick one
    '3/5 slow, about 15 minutes left', // a slow one takes 15 minutes on average
    '4/5 slow, a few seconds left',
    '5/5 quick',
  ]);
});

test('a kind that has not come yet is taken to last as long as those that have, each counted once', async () => {
  const notes = await notesOf(
    ['a', 'a', 'a', 'b', 'c'],
    [
      ['a', 60],
      ['a', 60],
      ['a', 60],
      ['b', 300],
    ],
  );
  expect(notes[2]).toBe('3/5 a, about 2 minutes left');
  expect(notes[3]).toBe('4/5 b, about 3 minutes left');
});

test('what is read back from a file says nothing of what is to come', async () => {
  const notes = await notesOf(
    ['a', 'a', 'a'],
    [
      ['a', 0.01],
      ['a', 600],
    ],
  );
  expect(notes).toEqual(['1/3 a', '2/3 a, about 10 minutes left']);
});
