/** Draws the flags that the playground offers: node dist/demo/flags/samples.js [OUT] */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '../../core/random.js';
import type { NamedFlag } from './description.js';
import { inventedFlags } from './invented.js';
import { letterFlags } from './letters.js';
import { newcomerFlag } from './newcomer.js';
import { renderFlag } from './render.js';

const seed = 1;
const letters = ['Juliett', 'Lima', 'Mike', 'November', 'Oscar', 'Victor', 'Whiskey', 'Zulu'];
const seen = 'cross-black-yellow';
/** The last one is not a class of the model: visitors can add it. */
const offered: readonly NamedFlag[] = [
  ...letterFlags.filter(({ name }) => letters.includes(name)),
  ...inventedFlags.filter(({ name }) => name === seen),
  newcomerFlag,
];

const folder = process.argv[2] ?? 'server/playground/samples';
await mkdir(folder, { recursive: true });
for (const flag of offered) {
  const picture = await renderFlag(flag, Random.stream(seed, `playground ${flag.name}`));
  await writeFile(join(folder, `${flag.name.replaceAll(' ', '-')}.jpg`), picture);
}
