/** Pictures on their way into a pool of the server: features are kept there until the pool is forgotten, never pictures. */
import { ask, asProblem } from './api.js';
import { inWords } from './problem-words.js';

/** Few enough to fit into a request of large pictures. */
const picturesAtOnce = 8;

interface PoolSending {
  onSent(count: number): void;
  /** The id that the server gave to a picture. */
  onAdded(id: string, file: File): void;
  onUnusable(words: string): void;
}

export function newPoolName(): string {
  return `playground-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
}

export async function sendToPool(to: string, files: readonly File[], sending: PoolSending): Promise<void> {
  for (let at = 0; at < files.length; at += picturesAtOnce) {
    sending.onSent(at);
    await sendSome(to, files.slice(at, at + picturesAtOnce), sending);
  }
}

/** One that cannot be used spoils its request: then they go one by one. */
async function sendSome(to: string, files: readonly File[], sending: PoolSending): Promise<void> {
  try {
    const given = files.map((picture) => ({ name: picture.name, picture }));
    const { added } = await ask((client) => client.addToPool(to, given));
    added.forEach(({ id }, i) => {
      sending.onAdded(id, files[i]);
    });
  } catch (error) {
    const problem = asProblem(error);
    if (!problem.code.startsWith('image-')) throw error;
    if (files.length > 1) for (const file of files) await sendSome(to, [file], sending);
    else sending.onUnusable(`${files[0].name}: ${inWords(problem).detail}`);
  }
}

/** May be gone already. */
export async function forgetPool(name: string): Promise<void> {
  await ask((client) => client.removePool(name)).catch((error: unknown) => {
    if (asProblem(error).code !== 'not-found') throw error;
  });
}
