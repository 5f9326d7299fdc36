import { InvalidArgumentError, Option } from 'commander';
import { classifyPictures, type ClassifyPicturesOptions } from '../classify/classify-pictures.js';
import { count } from '../numbers.js';
import type { AddCommand } from '../program.js';
import { serverOption } from '../server-address.js';

export const addClassifyCommand: AddCommand = (program, run) => {
  program
    .command('classify')
    .description('Recognise what is in pictures, or in all pictures of a folder.')
    .argument('<picture-or-folder...>', 'pictures (JPEG, PNG or WebP), or folders that hold some')
    .addOption(serverOption())
    .option('--bundle <directory>', 'open this model here instead of asking a server')
    .option('--registry <address>', 'with --bundle: also the classes that were added to this registry')
    .option('--backbone <name>', 'with --bundle: the network to use, for a bundle that names none')
    .option('--top-k <number>', 'how many classes to show', count, 5)
    .option('--explain', 'also show what the model reads from the pictures')
    .option('--unseen-bias <number>', "overrides the model's own; GET /attributes names the range", finite)
    .option('--classes <names>', 'only these classes may answer: a,b (may be repeated)', collected)
    .option('--group <name>', 'only classes of this group may answer (may be repeated)', collected)
    .option('--min-probability <number>', 'leave out classes less likely than this, from 0 to 1', finite)
    .option(
      '--unknown-at <number>',
      "the novelty from which a picture is called unknown, from 0 to 1 (default: the server's own)",
      finite,
    )
    .option('--scores-of <names>', 'also show these classes, however unlikely (may be repeated)', collected)
    .option('--group-by <family>', 'also show probabilities summed over the groups of a family')
    .addOption(new Option('--key <key>', 'API key, if the server requires one').env('UNSEEN_KEY'))
    .option('--csv <file>', 'write a table with a line for each picture')
    .addOption(
      new Option(
        '--separator <character>',
        'separator of columns in the table; a semicolon, for spreadsheets with decimal commas, also writes decimal commas',
      ).choices([',', ';']),
    )
    .option('--jsonl <file>', 'write whole answers, one JSON document for each picture')
    .option('--again', 'also classify pictures that already have an answer in the table')
    .option(
      '--move-to <directory>',
      'move each picture into a folder named after its class, or into "none of these" if it looks like none of the classes',
    )
    .option(
      '--unknown-to-nearest',
      'with --move-to: move unknown pictures into the folder of the nearest class, too',
    )
    .option('--json', 'print the answers as JSON')
    .addHelpText(
      'after',
      `
Folders are searched with everything below them. Several pictures are asked about at a time; when the server is busy they wait
as long as it asks for. A table that exists is continued: pictures that have an answer of the same model are not asked about again,
even if classes were added since or the options are others; --again asks about them, too.
A picture without an answer has the reason in its line. The exit code is then 8 if the picture cannot be used, 10 if the server failed.

Examples:
  unseen classify flag.jpg
  unseen classify photos --csv answers.csv
  unseen classify photos --csv answers.csv --bundle models/demo
  unseen classify photos --csv answers.csv --again
  unseen classify photos --csv answers.csv --separator ';'
  unseen classify photos --move-to sorted --top-k 1
  unseen classify photos/*.jpg --top-k 3 --url http://gpu-machine:8080
  unseen classify flag.jpg --classes Japan,Sweden --classes Kilo
  unseen classify bird.jpg --group garden-birds --min-probability 0.1
  UNSEEN_KEY=… unseen classify bird.png --explain --json`,
    )
    .action(async (given: string[], options: ClassifyPicturesOptions) => {
      await run(options.json === true, (context) => classifyPictures(given, options, context));
    });
};

function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function finite(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
}
