/** What `unseen demo` shows: letter flags read over HTTP, then a class that is added while the server runs. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UnseenClient, type ClassifyResponse } from '../client/index.js';
import { Random } from '../core/random.js';
import { percent } from '../core/percent.js';
import { attributesOf } from '../demo/flags/attributes.js';
import type { NamedFlag } from '../demo/flags/description.js';
import { letterFlags } from '../demo/flags/letters.js';
import { newcomerFlag } from '../demo/flags/newcomer.js';
import { renderFlag } from '../demo/flags/render.js';

export interface DrawnFlag {
  readonly flag: NamedFlag;
  readonly file: string;
  readonly picture: Buffer;
}

export interface Tour {
  readonly letters: readonly {
    readonly flag: string;
    readonly predictions: ClassifyResponse['predictions'];
  }[];
  readonly newcomer: {
    readonly flag: string;
    readonly before: ClassifyResponse['predictions'];
    /** Whether the server itself says that the picture is none of the classes it knows. */
    readonly verdict: ClassifyResponse['verdict'];
    readonly novelty: ClassifyResponse['novelty'];
    readonly after: ClassifyResponse['predictions'];
  };
}

/** Fresh pictures of some letters and of the newcomer, kept in `folder`. */
export async function drawFlags(count: number, seed: number, folder: string): Promise<DrawnFlag[]> {
  const random = Random.stream(seed, 'demo');
  const order = random.shuffle(Array.from(letterFlags.keys())).slice(0, count);
  const flags = [...order.sort((a, b) => a - b).map((i) => letterFlags[i]), newcomerFlag];
  await mkdir(folder, { recursive: true });
  const drawn: DrawnFlag[] = [];
  for (const flag of flags) {
    const file = join(folder, `${flag.name.toLowerCase().replaceAll(' ', '-')}.jpg`);
    const picture = await renderFlag(flag, random);
    await writeFile(file, picture);
    drawn.push({ flag, file, picture });
  }
  return drawn;
}

export async function tour(url: string, key: string, drawn: readonly DrawnFlag[]): Promise<Tour> {
  const client = new UnseenClient({ url, key, retries: 10 });
  const ask = ({ picture }: DrawnFlag) => client.classify(picture, { topK: 3 });
  const read = async (drawnFlag: DrawnFlag) => (await ask(drawnFlag)).predictions;
  const newcomer = drawn.at(-1)!;
  const letters = [];
  for (const one of drawn.slice(0, -1)) letters.push({ flag: one.flag.name, predictions: await read(one) });
  const { predictions: before, verdict, novelty } = await ask(newcomer);
  await client.createClass({ name: newcomer.flag.name, attributes: attributesOf(newcomer.flag) });
  const after = await read(newcomer);
  return { letters, newcomer: { flag: newcomer.flag.name, before, verdict, novelty, after } };
}

export function describeTour({ letters, newcomer }: Tour): string {
  const shown = ({ class: name, probability }: ClassifyResponse['predictions'][number]): string =>
    `${name} ${percent(probability)} %`;
  const lines = letters.map(({ flag, predictions: [first, ...others] }) => {
    const mark = first.class === flag ? '✓' : '✗';
    return `  ${mark} ${flag.padEnd(10)} read as ${shown(first).padEnd(28)} then ${others.map(shown).join(', ')}`;
  });
  const right = letters.filter(({ flag, predictions }) => predictions[0].class === flag).length;
  return `Flags of the International Code of Signals, drawn just now and sent to POST /classify. The model has never seen a
letter flag: it was trained on invented flags and knows the letters by their attributes only.

${lines.join('\n')}

${right} of ${letters.length} read right, all classes competing, seen and unseen.

A red disc on white is a flag it has never been told about. It was read as ${shown(newcomer.before[0])}${doubtOf(newcomer)}.
Then POST /classes added it as "${newcomer.flag}", from nothing but its attributes.
The same picture is now read as ${shown(newcomer.after[0])}.`;
}

/** What the server said of its own answer, whether that was right or not. */
function doubtOf({ verdict, novelty }: Tour['newcomer']): string {
  if (verdict === null || novelty === null) return '';
  return `, with the verdict "${verdict}": it looks newer than ${percent(novelty)} % of pictures of known classes`;
}
