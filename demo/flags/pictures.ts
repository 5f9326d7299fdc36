/** The pictures of the demonstration: invented flags for training and testing, letter flags for testing only. */
import type { Watcher } from '../../core/progress.js';
import { Random } from '../../core/random.js';
import { stopIfAsked } from '../../core/stop.js';
import type { NamedFlag } from './description.js';
import { inventedFlags } from './invented.js';
import { letterFlags } from './letters.js';
import { renderFlag } from './render.js';

/** Pictures of each class. */
export interface PictureCounts {
  readonly train: number;
  readonly testSeen: number;
  readonly testUnseen: number;
}

export interface PlannedPicture {
  readonly flag: NamedFlag;
  readonly split: 'train' | 'test-seen' | 'test-unseen';
  readonly name: string;
}

interface DrawnPicture extends PlannedPicture {
  readonly content: Uint8Array; // JPEG
}

/** Drawn at a time: sharp works in threads of its own. */
const atATime = 4;

export function planPictures({ train, testSeen, testUnseen }: PictureCounts): PlannedPicture[] {
  const some = (flag: NamedFlag, split: PlannedPicture['split'], count: number): PlannedPicture[] =>
    Array.from({ length: count }, (_, i) => {
      return { flag, split, name: `${flag.name}/${split}-${String(i + 1).padStart(3, '0')}.jpg` };
    });
  return [
    ...inventedFlags.flatMap((flag) => [...some(flag, 'train', train), ...some(flag, 'test-seen', testSeen)]),
    ...letterFlags.flatMap((flag) => some(flag, 'test-unseen', testUnseen)),
  ];
}

/** Every picture has a stream of its own, by its name: drawing more of them changes none of the others. */
export async function drawPictures(
  planned: readonly PlannedPicture[],
  seed: number,
  watcher: Watcher,
): Promise<DrawnPicture[]> {
  const drawn: DrawnPicture[] = [];
  const progress = watcher.progress('drawing flags', planned.length);
  while (drawn.length < planned.length) {
    stopIfAsked(watcher.signal);
    const next = planned.slice(drawn.length, drawn.length + atATime);
    const contents = await Promise.all(
      next.map(({ flag, name }) => renderFlag(flag, Random.stream(seed, name))),
    );
    drawn.push(...next.map((picture, i) => ({ ...picture, content: contents[i] })));
    progress.update(drawn.length);
  }
  progress.stop();
  return drawn;
}
