export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

/** At most so many at a time, in the order in which they were asked for. */
export function limiter(most: number): Limiter {
  let free = most;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else
      await new Promise<void>((resolve) => {
        queue.push(resolve);
      });
    try {
      return await work();
    } finally {
      const following = queue.shift();
      if (following) following();
      else free += 1;
    }
  };
}
