import { InvalidArgumentError, Option, type Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { blockOtherDecoders, defaultLimits } from '../../core/backbone/preprocess.js';
import { defaultBatchSize } from '../../core/backbone/extractor.js';
import { providers, type Provider } from '../../core/compute/session.js';
import { Failure } from '../../core/failures.js';
import { fewShotInWords } from '../../trainer/datasets/few-shot.js';
import { leftOutFile, type Assembled } from '../../trainer/extraction/assemble.js';
import { whyNotOpened } from '../../core/why-not-opened.js';
import { extract, mergeShards, type ExtractionReport } from '../../trainer/extraction/extract.js';
import { defaultSplitOptions, type SplitOptions } from '../../trainer/extraction/make-splits.js';
import type { Shard } from '../../trainer/shard.js';
import { shardNumber } from '../shard.js';
import type { CommandContext } from '../context.js';
import { count, positive, wholeNumber } from '../numbers.js';
import { classesInWords, datasetFigures } from '../dataset-figures.js';
import type { AddCommand } from '../program.js';
import { sameCommandAgain, sayHowToResume } from '../say-how-to-resume.js';

interface ExtractOptions {
  readonly images?: string;
  readonly list?: string;
  readonly attributes?: string;
  readonly attributeNotes?: string;
  readonly out?: string;
  readonly name?: string;
  readonly leaveOutLines?: boolean;
  readonly leaveOutClasses?: boolean;
  readonly backbone?: string;
  readonly unseen?: string;
  readonly unseenFile?: string;
  readonly unseenFraction: number;
  readonly testFraction: number;
  readonly fewShot: number;
  readonly seed: number;
  readonly shard?: Shard;
  readonly maxMegapixels: number;
  readonly batch: number;
  readonly provider: Provider;
  readonly threads: number;
  readonly json?: boolean;
}

export const addExtractCommand: AddCommand = (program, run) => {
  const command = program
    .command('extract')
    .description('Make a dataset from pictures and attributes: one folder of pictures for each class.')
    .option('--images <directory>', 'the pictures: JPEG, PNG or WebP')
    .option('--list <csv>', 'files and classes (file,class or file,class,split) instead of folders')
    .option('--attributes <csv>', 'the attributes of each class (class,<attribute names>)')
    .option(
      '--attribute-notes <csv>',
      'what the attributes mean (attribute,description,unit,family), shown wherever an attribute is',
    )
    .option('--out <directory>', 'the dataset to make; it must not exist')
    .option('--name <text>', 'what the dataset is called in reports and answers (default: the name of OUT)')
    .option('--leave-out-lines', 'go on without lines of the tables that cannot be used')
    .option('--leave-out-classes', 'go on without classes that have pictures and no line in the attributes')
    .option('--backbone <name>', 'the network that reads the pictures (see "unseen backbone list")')
    .option('--unseen <classes>', 'classes to keep unseen, separated by commas')
    .option('--unseen-file <file>', 'the same as --unseen, from a file with one class per line')
    .option(
      '--unseen-fraction <share>',
      'share of the classes to keep unseen, drawn by seed',
      share,
      defaultSplitOptions.unseenFraction,
    )
    .option(
      '--test-fraction <share>',
      "share of a seen class's pictures to test with",
      share,
      defaultSplitOptions.testFraction,
    )
    .option(
      '--few-shot <count>',
      'classes with at most this many training pictures become few-shot classes; 0 for none',
      wholeNumber,
      defaultSplitOptions.fewShot,
    )
    .option('--seed <number>', 'the same seed gives the same splits', wholeNumber, defaultSplitOptions.seed)
    .option('--shard <i/n>', 'run shard i of n only; "extract merge" then makes the dataset', shardNumber)
    .option('--max-megapixels <number>', 'larger pictures are left out', positive, defaultLimits.pixels / 1e6)
    .option('--batch <count>', 'pictures per run of the network', count, defaultBatchSize)
    .addOption(
      new Option('--provider <name>', 'where ONNX Runtime computes').choices([...providers]).default('cpu'),
    )
    .option(
      '--threads <count>',
      'threads of ONNX Runtime; 0 for all cores that a container allows',
      wholeNumber,
      0,
    )
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
The tables are checked before the first picture is read. A line that cannot be used (in the list of pictures, so is one whose file does not exist)
ends the run then, and so does a class with pictures and without a line, unless they are to be left out. Separators may be commas,
semicolons or tabs, decimals have points or, throughout the table, commas.
Pictures that cannot be read, files beside the folders and folders without pictures are left out. Each is listed with the reason
and a suggested fix, in the summary and in OUT/${leftOutFile}.
To resume a run that was killed, give the same command again; finished parts are kept in OUT.work.

Examples:
  unseen extract --images birds --attributes birds.csv --out data/birds
  unseen extract --images birds --attributes birds.csv --out data/birds --unseen "Ovenbird,Blue Jay"
  unseen extract --images photos --list photos.csv --attributes birds.csv --out data/birds
  unseen extract --images birds --attributes birds.csv --out data/birds --shard 3/16
  unseen extract merge --out data/birds`,
    )
    .action(async (options: ExtractOptions) => {
      await run(options.json === true, (context) => extractPictures(options, context));
    });

  command
    .command('merge')
    .description('Make the dataset from the output of all shards.')
    .argument('[shards...]', 'the folders of the shards (default: OUT.shard-*-of-n)')
    .option('--out <directory>', 'the dataset to make; it must not exist')
    .option('--json', 'print one JSON document')
    .exitOverride()
    .addHelpText(
      'after',
      `
The result is byte for byte the same as without shards. The folders of the shards are kept; remove them when you no longer
need them.

Examples:
  unseen extract merge --out data/birds
  unseen extract merge --out data/birds /mnt/a/birds.shard-1-of-2 /mnt/b/birds.shard-2-of-2`,
    )
    .action(async (shards: string[], _: unknown, merge: Command) => {
      // Commander assigns options that both commands have to the outer one, wherever they are given.
      const options = merge.optsWithGlobals<{ out?: string; json?: boolean }>();
      await run(options.json === true, async (context) => {
        const out = needed(options.out, '--out');
        context.note(`Merging into ${out} …`);
        const assembled = await mergeShards(shards, out);
        context.result(describe(assembled, out), { out, ...figures(assembled) });
      });
    });
};

async function extractPictures(options: ExtractOptions, context: CommandContext): Promise<void> {
  const { list, backbone, shard, provider, threads } = options;
  const images = needed(options.images, '--images');
  const attributes = needed(options.attributes, '--attributes');
  const out = needed(options.out, '--out');
  blockOtherDecoders(); // pictures are untrusted input, and this command does not draw any
  const splits = await splitOptions(options);
  const report = await sayHowToResume(sameCommandAgain, () =>
    extract(
      {
        images,
        attributes,
        out,
        ...(list !== undefined && { list }),
        ...(options.attributeNotes !== undefined && { attributeNotes: options.attributeNotes }),
        ...(options.name !== undefined && { name: options.name }),
        ...(options.leaveOutLines && { leaveOutLines: true }),
        ...(options.leaveOutClasses && { leaveOutClasses: true }),
        ...(backbone !== undefined && { backbone }),
        ...(shard && { shard }),
        splits,
        pixelLimit: Math.round(options.maxMegapixels * 1e6),
        batchSize: options.batch,
        session: { provider, threads },
      },
      context,
    ),
  );
  const { assembled } = report;
  const pace = paceOf(report);
  const value = {
    out,
    folder: report.folder,
    shard: shard ?? null,
    pictures: report.pictures,
    resumed: report.resumed,
    seconds: report.seconds,
    imagesPerSecond: report.imagesPerSecond,
  };
  if (assembled) context.result(`${describe(assembled, out)}\n${pace}`, { ...value, ...figures(assembled) });
  else
    context.result(
      `Shard ${shard?.number}/${shard?.of} is done: ${report.pictures} pictures, ${report.problems.length} of them unreadable, in ${report.folder}.\n${listed(report.problems.map(({ name, reason }) => ({ file: name, reason })))}${pace}\nWhen all shards are done: unseen extract merge --out ${out}`,
      { ...value, unreadable: report.problems },
    );
}

async function splitOptions(options: ExtractOptions): Promise<SplitOptions> {
  const { unseen, unseenFile, unseenFraction, testFraction, fewShot, seed } = options;
  if (unseen !== undefined && unseenFile !== undefined)
    throw new Failure('usage', 'Give --unseen or --unseen-file, not both.');
  const text =
    unseenFile === undefined
      ? unseen
      : await readFile(unseenFile, 'utf8').catch((error: unknown) => {
          throw new Failure('usage', `Cannot open ${unseenFile}: ${whyNotOpened(error)}`, {
            cause: error,
          });
        });
  const names = text?.split(unseenFile === undefined ? ',' : '\n').map((name) => name.trim());
  const unseenClasses = names?.filter((name) => name !== '');
  return { unseenFraction, testFraction, fewShot, seed, ...(unseenClasses && { unseenClasses }) };
}

function needed(value: string | undefined, option: string): string {
  if (value !== undefined) return value;
  throw new Failure('usage', `${option} is missing. "unseen extract --help" lists all options.`);
}

function figures({ dataset, leftOut, warnings }: Assembled) {
  return {
    ...datasetFigures(dataset),
    backbone: dataset.backbone,
    leftOut,
    warnings,
  };
}

function describe({ dataset, leftOut, warnings }: Assembled, out: string): string {
  const { features, splits, backbone } = dataset;
  const fewShot = fewShotInWords(dataset);
  return [
    `Dataset: ${out}`,
    `  ${features.rows} rows of ${features.columns} features by ${backbone?.name ?? 'an unknown backbone'}`,
    `  ${classesInWords(dataset)} with ${dataset.attributes.columns} attributes`,
    `  ${splits.train.length} training rows, ${splits.testSeen.length} test rows of seen and ${splits.testUnseen.length} of unseen classes`,
    fewShot === '' ? '' : `  ${fewShot}, which count as unseen classes`,
    ...warnings.map(({ message }) => `Warning: ${message}.`),
    leftOut.length === 0
      ? 'Nothing was left out.'
      : `Left out (${leftOut.length}, all in ${out}/${leftOutFile}):`,
    listed(leftOut).trimEnd(),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

const maxListed = 20;

function listed(leftOut: readonly { file: string; reason: string }[]): string {
  const lines = leftOut
    .slice(0, maxListed)
    .map(({ file, reason }) => `  - ${reason.startsWith(file) ? reason : `${file}: ${reason}`}\n`);
  const more = leftOut.length - maxListed;
  return lines.join('') + (more > 0 ? `  … and ${more} more\n` : '');
}

function paceOf({ pictures, resumed, seconds, imagesPerSecond }: ExtractionReport): string {
  if (imagesPerSecond === null) return `All ${pictures} pictures had been extracted before.`;
  const before = resumed > 0 ? `, ${resumed} done before` : '';
  return `${imagesPerSecond.toFixed(1)} images/s (${pictures - resumed} in ${seconds.toFixed(0)} s${before})`;
}

function share(text: string): number {
  const value = Number(text);
  if (!(text !== '' && value >= 0 && value < 1))
    throw new InvalidArgumentError('It must be at least 0 and less than 1.');
  return value;
}
