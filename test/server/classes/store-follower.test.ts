import { expect, test, vi } from 'vitest';
import { StoreFollower } from '../../../server/classes/store-follower.js';
import type { Logger } from '../../../server/observability/logger.js';

function followingAfter(failures: number) {
  const warn = vi.fn();
  let calls = 0;
  const following = new StoreFollower(
    () => (++calls <= failures ? Promise.reject(new Error('store down')) : Promise.resolve()),
    { warn } as unknown as Logger,
  );
  return { following, warn, calls: () => calls };
}

test('a change that could not be read is asked for again until it is read, and complained of once', async () => {
  const { following, warn, calls } = followingAfter(2);
  following.follow();
  await expect.poll(() => following.secondsBehind).toBeGreaterThan(0.5);
  await expect.poll(() => following.secondsBehind).toBe(0);
  expect(calls()).toBe(3);
  expect(warn).toHaveBeenCalledTimes(1);
});

test('nothing is asked once it is closed', async () => {
  const { following, calls } = followingAfter(9);
  following.follow();
  following.close();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(calls()).toBe(1);
});
