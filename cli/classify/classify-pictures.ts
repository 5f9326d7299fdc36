/** `unseen classify`: from what was named to answers, in tables, in folders or on the screen. */
import type { Separator } from '../../client/index.js';
import { Failure } from '../../core/failures.js';
import { stopIfAsked } from '../../core/stop.js';
import { classificationTable, type FileOutcome } from '../classification-table.js';
import type { CommandContext } from '../context.js';
import { answerFiles } from './answer-files.js';
import { csvFormat, jsonLinesFormat, recorded, type AnswerFormat } from './answer-formats.js';
import { picturesNamed } from './find-pictures.js';
import { MoveByClass } from './move-by-class.js';
import { askServer, serveToItself, type AnswerSource } from './open-answers.js';
import { Outputs } from './outputs.js';
import { Summary } from './summary.js';

export interface ClassifyPicturesOptions {
  readonly url: string;
  readonly bundle?: string;
  readonly backbone?: string;
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
  readonly separator?: Separator;
  readonly jsonl?: string;
  readonly again?: boolean;
  readonly moveTo?: string;
  readonly unknownToNearest?: boolean;
  readonly json?: boolean;
}

export async function classifyPictures(
  given: readonly string[],
  options: ClassifyPicturesOptions,
  context: CommandContext,
): Promise<void> {
  const { csv, jsonl, moveTo, again = false } = options;
  refuseWithout(options);
  const files = await picturesNamed(given, context, moveTo);
  const source = await openSource(options, context);
  let outputs: Outputs | undefined;
  try {
    const wanted: [string, AnswerFormat][] = [];
    if (csv !== undefined) wanted.push([csv, csvFormat(options.topK, options.separator)]);
    if (jsonl !== undefined) wanted.push([jsonl, jsonLinesFormat]);
    outputs = await Outputs.open(wanted, { files, model: source.model, again });
    const mover = moveTo === undefined ? null : new MoveByClass(moveTo, options.unknownToNearest === true);
    const left: string[] = [];
    for (const file of files) {
      const answer = outputs.answerTo(file);
      if (!answer) left.push(file);
      else await mover?.move(file, answer);
    }
    noteResumption(files.length - left.length, outputs.outdated, context);

    const toTable = wanted.length > 0;
    const summary = new Summary(files.length - left.length);
    const outcomes: FileOutcome[] = [];
    const progress = context.progress('Classifying', left.length);
    try {
      await answerFiles(left, source.ask, context.signal, async (outcome, finished) => {
        await outputs!.write(outcome);
        summary.add(outcome);
        if (!toTable) outcomes.push(outcome);
        if (!('problem' in outcome)) await mover?.move(outcome.file, recorded(outcome));
        progress.update(finished);
      });
    } catch (error) {
      if (toTable && summary.answered > 0)
        context.note(
          `${summary.answered} answers are written. Run the same command again${again ? ', without --again,' : ''} to continue.`,
        );
      throw error;
    } finally {
      progress.stop();
    }
    stopIfAsked(context.signal);
    if (mover && mover.gone > 0)
      context.note(
        `${mover.gone} pictures are no longer there, so they were not moved; perhaps an earlier run moved them.`,
      );
    const places = wanted.map(([path]) => path);
    if (toTable)
      context.result(summary.text(places, mover), { url: source.url, ...summary.value(), ...{ csv, jsonl } });
    else context.result(classificationTable(outcomes), { url: source.url, files: outcomes });
    // The answers are written; the exit code reports that some files have none.
    process.exitCode = summary.exitCode;
  } finally {
    await outputs?.close();
    await source.close();
  }
}

/** Options that mean nothing without another one. */
function refuseWithout(options: ClassifyPicturesOptions): void {
  const { registry, bundle, backbone, csv, jsonl, separator, again, moveTo, unknownToNearest } = options;
  if (registry !== undefined && bundle === undefined)
    throw new Failure('usage', '--registry needs --bundle: a server has its own registry.');
  if (backbone !== undefined && bundle === undefined)
    throw new Failure('usage', '--backbone needs --bundle: a server has its own network.');
  if (separator !== undefined && csv === undefined)
    throw new Failure('usage', '--separator needs --csv: it is about the table.');
  if (again === true && csv === undefined && jsonl === undefined)
    throw new Failure(
      'usage',
      '--again needs --csv or --jsonl: without a table there are no earlier answers.',
    );
  if (unknownToNearest === true && moveTo === undefined)
    throw new Failure('usage', '--unknown-to-nearest needs --move-to: without it nothing is moved.');
}

function openSource(options: ClassifyPicturesOptions, context: CommandContext): Promise<AnswerSource> {
  const { url, key, bundle, registry, backbone, topK, explain, unseenBias, classes, group: groups } = options;
  const { minProbability, scoresOf, groupBy, unknownAt } = options;
  const question = {
    ...{ topK, explain, unseenBias, unknownAt },
    ...{ classes, groups, minProbability, scoresOf, groupBy },
  };
  return bundle === undefined
    ? askServer(url, key, question, context.signal)
    : serveToItself({ bundle, registry, backbone }, question, context);
}

function noteResumption(before: number, outdated: number, context: CommandContext): void {
  if (before > 0)
    context.note(
      `${before} pictures were answered earlier. --again classifies them again, for example after a class was added or with other options.`,
    );
  if (outdated > 0)
    context.note(`${outdated} answers came from another model: these pictures are classified again.`);
}
