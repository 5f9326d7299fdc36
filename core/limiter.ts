export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most `max` at a time; the others wait, in the order in which they came. */
export function limiter(max: number): Limiter {
  let free = max;
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
