import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pictureType } from '../../core/backbone/picture-type.js';
import { Random } from '../../core/random.js';
import { letterFlags } from '../../demo/flags/letters.js';
import { renderFlag } from '../../demo/flags/render.js';

/** JPEG photographs of a folder; the letter flags, drawn, when none is given. */
export async function benchmarkPictures(folder: string | undefined): Promise<Buffer[]> {
  if (folder === undefined) {
    const random = Random.stream(1, 'bench');
    const drawn: Buffer[] = [];
    for (const flag of letterFlags) drawn.push(await renderFlag(flag, random));
    return drawn;
  }
  const pictures = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name)))
    .filter((bytes) => pictureType(bytes) === 'jpeg');
  if (pictures.length === 0) throw new Error(`${folder} holds no JPEG picture`);
  return pictures;
}
