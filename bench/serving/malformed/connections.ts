/** Requests that would be fine if their clients stayed and sent them: slow ones, silent ones, and those torn down. */
import type { PictureSeeds } from './pictures.js';
import { head, wholeRequest, type MakeRequest } from './request.js';

/** Clients that send a little, wait, and send a little more; each holds its connection for seconds. */
export function slowKinds({ good }: PictureSeeds): MakeRequest[] {
  const start = head('POST /classify', { 'Content-Type': 'image/jpeg', 'Content-Length': good.jpeg.length });
  const large = head('POST /classify', { 'Content-Type': 'image/jpeg', 'Content-Length': 20_000_000 });
  const drops = (bytes: Buffer): Buffer[] => Array.from({ length: 12 }, (_, i) => bytes.subarray(i, i + 1));
  return [
    () => ({ kind: 'slow head', parts: drops(start), pause: 500 }),
    () => ({ kind: 'slow body', parts: [start, ...drops(good.jpeg)], pause: 500 }),
    () => ({ kind: 'body that never comes', parts: [start] }),
    () => ({ kind: 'large body that never comes', parts: [large] }),
    () => ({ kind: 'silent connection', parts: [] }),
  ];
}

export function abortedKinds({ good }: PictureSeeds): MakeRequest[] {
  return [
    (random) => {
      const bytes = wholeRequest('POST /classify', { 'Content-Type': 'image/jpeg' }, good.jpeg);
      const at = random.integer(bytes.length);
      return {
        kind: 'upload aborted',
        parts: [bytes.subarray(0, at), ...(random.integer(2) === 0 ? [bytes.subarray(at)] : [])],
        pause: random.integer(5),
        then: 'abort',
      };
    },
  ];
}
