import { setMaxListeners } from 'node:events';

/**
 * Runs `work` for every item at the same time. When one throws, the others are aborted, and all of them have ended before the
 * error is passed on: nothing of a request goes on after its places in the queue were given back.
 */
export async function runAll<Item, Result>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal, index: number) => Promise<Result>,
): Promise<Result[]> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  setMaxListeners(0, either); // one for each item, and no leak
  const running = items.map(async (item, index) => {
    try {
      return await work(item, either, index);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(running);
  if (failed.signal.aborted) throw failed.signal.reason; // what went wrong first
  return Promise.all(running);
}
