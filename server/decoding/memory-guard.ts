/**
 * What a picture takes to decode is estimated from its header, by what this version of the decoder does with every kind of picture
 * that we know. For those that we do not know, a decoder watches itself.
 */

const lookMilliseconds = 20;

/** Null as soon as this process has grown by more than `bytes`: `work` keeps running until the process is ended. */
export async function withinMemory<T>(bytes: number, work: () => Promise<T>): Promise<T | null> {
  const max = process.memoryUsage.rss() + bytes;
  let timer: NodeJS.Timeout | undefined;
  const outgrown = new Promise<null>((resolve) => {
    timer = setInterval(() => {
      if (process.memoryUsage.rss() > max) resolve(null);
    }, lookMilliseconds);
  });
  try {
    return await Promise.race([work(), outgrown]);
  } finally {
    clearInterval(timer);
  }
}
