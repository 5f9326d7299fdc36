/** Shows flags side by side, to be looked at: node dist/demo/flags/contact-sheet.js letters|invented OUT.png */
import sharp from 'sharp';
import { Random } from '../../core/random.js';
import type { NamedFlag } from './description.js';
import { inventedFlags } from './invented.js';
import { letterFlags } from './letters.js';
import { renderFlag } from './render.js';
import { pictureHeight, pictureWidth } from './scene.js';

const columns = 10;

const [, , which, out] = process.argv;
await writeSheet(which === 'letters' ? letterFlags : inventedFlags, out);

async function writeSheet(flags: readonly NamedFlag[], file: string): Promise<void> {
  const pictures = await Promise.all(
    flags.map(({ name, ...flag }) => renderFlag(flag, Random.stream(1, `sheet ${name}`))),
  );
  const [width, height] = [pictureWidth / 2, pictureHeight / 2];
  const tiles = await Promise.all(pictures.map((picture) => sharp(picture).resize(width).toBuffer()));
  await sharp({
    create: {
      width: width * columns,
      height: height * Math.ceil(flags.length / columns),
      channels: 3,
      background: 'white',
    },
  })
    .composite(
      tiles.map((input, i) => ({
        input,
        left: (i % columns) * width,
        top: Math.floor(i / columns) * height,
      })),
    )
    .png()
    .toFile(file);
}
