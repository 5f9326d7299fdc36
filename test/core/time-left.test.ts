import { expect, test, vi } from 'vitest';
import { timeLeftInWords, TimeLeft } from '../../core/time-left.js';
import { progressLines } from '../../core/terminal-watcher.js';

test('the time left follows the pace of late', () => {
  let time = 0;
  const left = new TimeLeft(100, () => time);
  left.update(0);
  expect(left.words).toBe(''); // too early to tell
  for (let done = 1; done <= 10; done++) {
    time = done * 6000;
    left.update(done);
  }
  expect(left.words).toBe('about 9 minutes left');
  time += 6000;
  left.update(100);
  expect(left.words).toBe('');
});

test.each([
  [3000, 'a few seconds left'],
  [31_000, 'about 30 seconds left'],
  [95_000, 'about 2 minutes left'],
  [5 * 3_600_000, 'about 5.0 hours left'],
])('%d ms are %s', (milliseconds, words) => {
  expect(timeLeftInWords(milliseconds)).toBe(words);
});

test('where there is no terminal, a line is written every minute and no more often', () => {
  let time = 0;
  const lines: string[] = [];
  const progress = progressLines(
    'Extracting',
    600,
    (line) => lines.push(line),
    () => time,
  );
  for (let done = 1; done <= 150; done++) {
    time = done * 1000;
    progress.update(done, 'x');
  }
  expect(lines).toEqual([
    'Extracting: 60 of 600 · about 9 minutes left · x',
    'Extracting: 120 of 600 · about 8 minutes left · x',
  ]);
});

test('a step that reports nothing for minutes is not silent, and nothing follows the end', () => {
  vi.useFakeTimers();
  try {
    const lines: string[] = [];
    const progress = progressLines('Training', 5, (line) => lines.push(line));
    progress.update(0, 'fold 1 of 4');
    vi.advanceTimersByTime(150_000);
    expect(lines).toEqual(['Training: 0 of 5 · fold 1 of 4', 'Training: 0 of 5 · fold 1 of 4']);
    progress.stop();
    vi.advanceTimersByTime(150_000);
    expect(lines).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});
