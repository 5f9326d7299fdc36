import { expect, test } from 'vitest';
import { inTurns } from '../../core/stop.js';

test('work that never ends by itself ends when it is asked to, by something that needs the event loop', async () => {
  function* forever(): Generator<void, never, void> {
    for (;;) yield;
  }
  const stop = new AbortController();
  setTimeout(() => {
    stop.abort();
  }, 1);
  await expect(inTurns(forever(), stop.signal)).rejects.toMatchObject({ code: 'interrupted' });
});

test('work that ends answers what it comes to', async () => {
  function* short(): Generator<void, string, void> {
    yield;
    return 'done';
  }
  expect(await inTurns(short(), new AbortController().signal)).toBe('done');
});
