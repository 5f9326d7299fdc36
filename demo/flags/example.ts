/**
 * Draws an example of what `unseen extract` takes, for who has no pictures at hand: node dist/demo/flags/example.js OUT [PICTURES]
 *
 *   OUT/pictures/CLASS/001.jpg …   photographs of invented flags, a folder for each of them
 *   OUT/attributes.csv             those flags and the 26 letters, which have no pictures
 *   OUT/letters/NAME.jpg           a letter each, to try the model on
 *   OUT/new-class.csv, OUT/rising-sun.jpg   a flag that no table above describes
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Random } from '../../core/random.js';
import { attributeNames, attributesOf } from './attributes.js';
import type { NamedFlag } from './description.js';
import { inventedFlags } from './invented.js';
import { letterFlags } from './letters.js';
import { newcomerFlag } from './newcomer.js';
import { renderFlag } from './render.js';

const seed = 1;
const usage = 'Usage: node dist/demo/flags/example.js OUT [PICTURES OF EACH CLASS, at least 2; default 12]';

const [out, given = '12'] = process.argv.slice(2) as (string | undefined)[];
const count = Number(given);
if (out === undefined || !Number.isInteger(count) || count < 2) {
  console.error(usage);
  process.exit(2);
}

for (const flag of inventedFlags)
  for (let i = 1; i <= count; i++)
    await draw(flag, join(out, 'pictures', flag.name, `${String(i).padStart(3, '0')}.jpg`));
for (const flag of letterFlags) await draw(flag, join(out, 'letters', `${flag.name.toLowerCase()}.jpg`));
await draw(newcomerFlag, join(out, 'rising-sun.jpg'));
await writeFile(join(out, 'attributes.csv'), table([...inventedFlags, ...letterFlags]));
await writeFile(join(out, 'new-class.csv'), table([newcomerFlag]));
console.log(
  `${inventedFlags.length} classes with ${count} pictures each in ${join(out, 'pictures')}; attributes of them and of ` +
    `${letterFlags.length} classes without pictures in ${join(out, 'attributes.csv')}.`,
);

/** Every picture has a stream of its own: drawing more of them changes none of the others. */
async function draw(flag: NamedFlag, file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await renderFlag(flag, Random.stream(seed, `example ${file.slice(out!.length)}`)));
}

function table(flags: readonly NamedFlag[]): string {
  const lines = flags.map((flag) => [flag.name, ...attributesOf(flag)].join(','));
  return [['class', ...attributeNames].join(','), ...lines, ''].join('\n');
}
