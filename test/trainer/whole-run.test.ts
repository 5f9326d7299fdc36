import { describe, expect, test } from 'vitest';
import { silent, type Watcher } from '../../core/progress.js';
import { progressLines } from '../../core/terminal-watcher.js';
import { WholeRun } from '../../trainer/whole-run.js';

/** Notes of a run of units that take so many seconds each and report every second, on a clock of its own. */
async function linesOf(units: readonly { label: string; seconds: number }[]): Promise<string[]> {
  let time = 0;
  const now = (): number => time;
  const lines: string[] = [];
  const watcher: Watcher = {
    ...silent,
    progress: (label, total) =>
      progressLines(
        label,
        total,
        (line) => {
          lines.push(line);
        },
        now,
      ),
  };
  const whole = new WholeRun(watcher, units.length, now);
  for (const { label, seconds } of units)
    await whole.unit(label, (own) => {
      const progress = own.progress('generator', seconds);
      for (let second = 1; second <= seconds; second++) {
        time += 1000;
        progress.update(second);
      }
      return Promise.resolve();
    });
  whole.stop();
  return lines;
}

describe('a training as one line', () => {
  const folds = (seconds: number): { label: string; seconds: number }[] =>
    Array.from({ length: 10 }, (_, i) => ({ label: `fold ${i + 1} of 10`, seconds }));

  test('a line a minute says which fold it is, how many there are, and how long it will take', async () => {
    const lines = await linesOf(folds(40));
    expect(lines).toHaveLength(6); // 400 s
    expect(lines[0]).toMatch(/^Training: 1 of 10 .*fold 2 of 10$/);
    expect(lines[1]).toBe('Training: 2 of 10 · about 5 minutes left · fold 3 of 10');
    expect(lines[5]).toBe('Training: 8 of 10 · about 40 seconds left · fold 9 of 10');
  });

  test('a unit that takes longer than those before it is not called done', async () => {
    const lines = await linesOf([...folds(10).slice(0, 2), { label: 'all seen classes', seconds: 200 }]);
    expect(lines.at(-1)).toMatch(/^Training: 2 of 3 .*all seen classes$/);
  });

  test('what is planned and not needed counts as done, and what a unit returns comes back', async () => {
    const seen: number[] = [];
    const progress = { update: (done: number) => seen.push(done), stop: () => undefined };
    const whole = new WholeRun({ ...silent, progress: () => progress }, 3);
    whole.skip();
    expect(await whole.unit('fold 2 of 3', () => Promise.resolve('result'))).toBe('result');
    expect(seen.at(-1)).toBe(2);
  });
});
