import { InvalidArgumentError, Option } from 'commander';
import { Failure } from '../../core/failures.js';
import { stopIfAsked } from '../../core/stop.js';
import { AnswerFile } from '../classify/answer-file.js';
import { answerFiles } from '../classify/answer-files.js';
import { csvFormat, jsonLinesFormat } from '../classify/answer-formats.js';
import { findPictures } from '../classify/find-pictures.js';
import { moveByClass } from '../classify/move-by-class.js';
import { askServer, serveToItself, type AnswerSource } from '../classify/open-answers.js';
import { Summary } from '../classify/summary.js';
import { classificationTable, type FileOutcome } from '../classification-table.js';
import type { CommandContext } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { count } from '../numbers.js';
import type { AddCommand } from '../program.js';
import { serverOption } from '../server-address.js';

interface ClassifyCommandOptions {
  readonly url: string;
  readonly bundle?: string;
  readonly registry?: string;
  readonly topK: number;
  readonly explain?: boolean;
  readonly unseenBias?: number;
  readonly classes?: readonly string[];
  readonly group?: readonly string[];
  readonly minProbability?: number;
  readonly unknownAt?: number;
  readonly scoresOf?: readonly string[];
  readonly groupBy?: string;
  readonly key?: string;
  readonly csv?: string;
  readonly jsonl?: string;
  readonly moveTo?: string;
  readonly json?: boolean;
}

export const addClassifyCommand: AddCommand = (program, run) => {
  program
    .command('classify')
    .description('Recognise what is in pictures, or in all pictures of a folder.')
    .argument('<picture-or-folder...>', 'pictures (JPEG, PNG or WebP), or folders that hold some')
    .addOption(serverOption())
    .option('--bundle <directory>', 'open this model here instead of asking a server')
    .option('--registry <address>', 'with --bundle: also the classes that were added to this registry')
    .option('--top-k <number>', 'how many classes to show', count, 5)
    .option('--explain', 'also show what the model reads from the pictures')
    .option('--unseen-bias <number>', "overrides the model's own; GET /attributes names the range", finite)
    .option('--classes <names>', 'only these classes may answer: a,b (may be repeated)', collected)
    .option('--group <name>', 'only classes of this group may answer (may be repeated)', collected)
    .option('--min-probability <number>', 'leave out what is less likely, from 0 to 1', finite)
    .option(
      '--unknown-at <number>',
      "the novelty from which a picture is called unknown, from 0 to 1 (default: the server's own)",
      finite,
    )
    .option('--scores-of <names>', 'also show these classes, however unlikely (may be repeated)', collected)
    .option('--group-by <family>', 'also show probabilities summed over the groups of a family')
    .addOption(new Option('--key <key>', 'API key, if the server requires one').env('UNSEEN_KEY'))
    .option('--csv <file>', 'write a table with a line for each picture')
    .option('--jsonl <file>', 'write whole answers, one JSON document for each picture')
    .option('--move-to <directory>', 'move each picture into a folder named after its class')
    .option('--json', 'print the answers as JSON')
    .addHelpText(
      'after',
      `
Folders are searched with everything below them. Several pictures are asked about at a time; when the server is busy they wait
as long as it asks for. A table that exists is continued: pictures that have an answer of the same model are not asked about again.
A picture that cannot be used has the reason in its line, and the exit code is then 8.

Examples:
  unseen classify flag.jpg
  unseen classify photos --csv answers.csv
  unseen classify photos --csv answers.csv --bundle models/demo
  unseen classify photos --move-to sorted --top-k 1
  unseen classify photos/*.jpg --top-k 3 --url http://gpu-machine:8080
  unseen classify flag.jpg --classes Japan,Sweden --classes Kilo
  unseen classify bird.jpg --group garden-birds --min-probability 0.1
  UNSEEN_KEY=… unseen classify bird.png --explain --json`,
    )
    .action(async (given: string[], options: ClassifyCommandOptions) => {
      await run(options.json === true, (context) => classify(given, options, context));
    });
};

async function classify(
  given: readonly string[],
  options: ClassifyCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { csv, jsonl, moveTo } = options;
  if (options.registry !== undefined && options.bundle === undefined)
    throw new Failure('usage', '--registry needs --bundle: a server has its own registry.');
  const { files, skipped, noneExists } = await findPictures(given, moveTo);
  if (noneExists)
    throw new Failure('usage', `There is no file or folder ${given.join(', ')}. Check the name.`);
  if (files.length === 0) throw new Failure('usage', nothingFound(given, skipped));
  if (skipped.length > 0)
    context.note(`${skipped.length} other files are not pictures by their names, such as ${skipped[0]}.`);
  const source = await openSource(options, context);
  const outputs: AnswerFile[] = [];
  try {
    if (csv !== undefined) outputs.push(await AnswerFile.open(csv, csvFormat(options.topK), source.model));
    if (jsonl !== undefined) outputs.push(await AnswerFile.open(jsonl, jsonLinesFormat, source.model));
    const toTable = outputs.length > 0;
    const done = (file: string): boolean => toTable && outputs.every((output) => output.done.has(file));
    const left = files.filter((file) => !done(file));
    noteResumption(files.length - left.length, outputs, context);

    if (moveTo !== undefined)
      for (const file of files.filter(done)) await moveByClass(file, outputs[0].done.get(file)!, moveTo);

    const summary = new Summary(files.length - left.length);
    const outcomes: FileOutcome[] = [];
    const progress = context.progress('Classifying', left.length);
    try {
      await answerFiles(left, source.ask, context.signal, async (outcome, finished) => {
        for (const output of outputs) if (!output.done.has(outcome.file)) await output.write(outcome);
        summary.add(outcome);
        if (!toTable) outcomes.push(outcome);
        if (moveTo !== undefined && !('problem' in outcome) && outcome.predictions.length > 0)
          await moveByClass(outcome.file, outcome.predictions[0].class, moveTo);
        progress.update(finished);
      });
    } catch (error) {
      if (toTable && summary.answered > 0)
        context.note(`${summary.answered} answers are written. Give the same command again to go on.`);
      throw error;
    } finally {
      progress.stop();
    }
    stopIfAsked(context.signal);
    const places = [csv, jsonl].filter((path) => path !== undefined);
    if (toTable)
      context.result(summary.text(places, moveTo), {
        url: source.url,
        ...summary.value(),
        ...{ csv, jsonl },
      });
    else context.result(classificationTable(outcomes), { url: source.url, files: outcomes });
    // The answers are written; the exit code reports that some files have none.
    if (summary.problems > 0) process.exitCode = exitCodes['image-invalid'];
  } finally {
    for (const output of outputs) await output.close();
    await source.close();
  }
}

function openSource(options: ClassifyCommandOptions, context: CommandContext): Promise<AnswerSource> {
  const { url, key, bundle, registry, topK, explain, unseenBias, classes, group: groups } = options;
  const { minProbability, scoresOf, groupBy, unknownAt } = options;
  const question = {
    ...{ topK, explain, unseenBias, unknownAt },
    ...{ classes, groups, minProbability, scoresOf, groupBy },
  };
  return bundle === undefined
    ? askServer(url, key, question, context.signal)
    : serveToItself(bundle, registry, question, context);
}

function nothingFound(given: readonly string[], skipped: readonly string[]): string {
  const others =
    skipped.length > 0 ? ` ${skipped.length} files are of other kinds, such as ${skipped[0]}.` : '';
  return `There is no picture in ${given.join(', ')}.${others} Pictures end with .jpg, .png or .webp.`;
}

function noteResumption(before: number, outputs: readonly AnswerFile[], context: CommandContext): void {
  if (before > 0) context.note(`${before} pictures have been answered before.`);
  const outdated = Math.max(0, ...outputs.map((output) => output.outdated));
  if (outdated > 0)
    context.note(`${outdated} answers were of another model: those pictures are asked about again.`);
}

function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function finite(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
}
