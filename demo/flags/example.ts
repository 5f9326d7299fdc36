/**
 * An example of what `unseen extract` takes, for readers who have no pictures at hand:
 *
 *   OUT/pictures/CLASS/001.jpg …   photographs of invented flags, a folder for each of them
 *   OUT/attributes.csv             those flags and the letters, which have no pictures
 *   OUT/attribute-notes.csv        what the attributes are
 *   OUT/letters/NAME.jpg           a letter each, to try the model on
 *   OUT/new-class.csv, OUT/rising-sun.jpg   a flag that no table above describes
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Random } from '../../core/random.js';
import { attributeNotes } from './attribute-notes.js';
import { attributeNames, attributesOf } from './attributes.js';
import type { NamedFlag } from './description.js';
import { newcomerFlag } from './newcomer.js';
import { renderFlag } from './render.js';

interface ExampleFlags {
  readonly invented: readonly NamedFlag[];
  readonly letters: readonly NamedFlag[];
}

const seed = 1;

export async function writeExample(
  out: string,
  { invented, letters }: ExampleFlags,
  picturesPerClass: number,
): Promise<void> {
  // Every picture has a stream of its own: drawing more of them changes none of the others.
  const draw = async (flag: NamedFlag, name: string): Promise<void> => {
    const file = join(out, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, await renderFlag(flag, Random.stream(seed, `example ${name}`)));
  };
  for (const flag of invented)
    for (let i = 1; i <= picturesPerClass; i++)
      await draw(flag, `pictures/${flag.name}/${String(i).padStart(3, '0')}.jpg`);
  for (const flag of letters) await draw(flag, `letters/${flag.name.toLowerCase()}.jpg`);
  await draw(newcomerFlag, 'rising-sun.jpg');
  await writeFile(join(out, 'attributes.csv'), table([...invented, ...letters]));
  await writeFile(join(out, 'attribute-notes.csv'), notesTable());
  await writeFile(join(out, 'new-class.csv'), table([newcomerFlag]));
}

function table(flags: readonly NamedFlag[]): string {
  const lines = flags.map((flag) => [flag.name, ...attributesOf(flag)].join(','));
  return [['class', ...attributeNames].join(','), ...lines, ''].join('\n');
}

function notesTable(): string {
  const lines = attributeNames.map((name, k) => `${name},"${attributeNotes[k].description}"`);
  return ['attribute,description', ...lines, ''].join('\n');
}
