import { Option } from 'commander';
import { providers, type Provider } from '../../core/compute/session.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import type { Engine } from '../../trainer/engine/contract.js';
import { openEngine, engineNames, type EngineName } from '../../trainer/engine/open.js';
import type { PictureOptions } from '../../trainer/report/gather/pictures/pictures.js';
import { reportPath, trainingLog } from '../../trainer/report/report-path.js';
import { hideUnseen, train, type TrainingReport } from '../../trainer/train.js';
import { biasOriginOf } from '../../trainer/evaluation/bias-origin.js';
import { evaluationTable } from '../../trainer/evaluation/evaluation-table.js';
import { seedsTable } from '../../trainer/evaluation/seeds-table.js';
import type { CommandContext } from '../context.js';
import { count, wholeNumber } from '../numbers.js';
import { addPictureOptions, picturesOf, type ReportPictureOptions } from '../picture-options.js';
import type { AddCommand } from '../program.js';
import { sayHowToResume } from '../say-how-to-resume.js';
import {
  addTrainingOptions,
  noteWarnings,
  openInputs,
  settingsOf,
  type TrainingOptions,
} from '../training-inputs.js';

interface TrainOptions extends TrainingOptions, ReportPictureOptions {
  readonly seeds: number;
  readonly engine: EngineName;
  readonly provider: Provider;
  readonly stepsPerRun?: number;
  readonly hideUnseen?: boolean;
  readonly resume?: boolean;
  readonly report: boolean;
}

export const addTrainCommand: AddCommand = (program, run) => {
  const command = program
    .command('train')
    .description('Train a model, evaluate it on the test rows, and save it as a bundle.')
    .requiredOption('--data <directory>', 'the dataset')
    .requiredOption('--out <directory>', 'the bundle to make; it must not exist')
    .option('--seed <number>', 'the same seed gives the same bundle', wholeNumber, 1)
    .option(
      '--seeds <count>',
      'number of seeds to train with, each on validation folds of its own; reports mean and spread, and saves the first',
      count,
      1,
    )
    .addOption(new Option('--engine <name>', 'compute engine').choices(engineNames).default('onnx'))
    .addOption(
      new Option('--provider <name>', 'where ONNX Runtime computes').choices([...providers]).default('cpu'),
    )
    .option(
      '--steps-per-run <count>',
      'updates in one call of ONNX Runtime; raising it pays off on a GPU only',
      count,
    )
    .option('--hide-unseen', 'train as if the unseen classes were unknown, to add them to the bundle later')
    .option('--resume', 'resume a run that was stopped')
    .option('--no-report', 'leave out the report, OUT.report.html, which takes a minute or two on large data')
    .addHelpText(
      'after',
      `
Settings are chosen on validation classes, held out of the seen ones; test rows only evaluate the result.
While it runs, OUT.work holds checkpoints and log.jsonl, a line of JSON for each epoch. At the end OUT.report.html
shows the course of training and what the model does well and badly.

Examples:
  unseen train --data data/cub --out bundles/cub
  unseen train --data data/cub --out bundles/cub --resume
  unseen train --data data/cub --out bundles/paper --preset paper --seeds 3 --json`,
    );
  addPictureOptions(addTrainingOptions(command)).action(async (options: TrainOptions) => {
    await run(options.json === true, async (context) => {
      const configuration = await settingsOf(options);
      const open = () => openEngine(options.engine, options);
      const inputs = await openInputs(options, open, context);
      const { engine, dataset: loaded } = inputs;
      const warnings = noteWarnings(inputs, context);
      const dataset = options.hideUnseen ? hideUnseen(loaded) : loaded;
      const seeds = Array.from({ length: options.seeds }, (_, i) => options.seed + i);
      const resume = options.resume === true;
      const { out } = options;
      const report = await sayHowToResume(
        'Run the same command with --resume to continue where it stopped.',
        () => train({ dataset, configuration, seeds, engine, out, resume, watcher: context }),
      );
      const reportFile = options.report
        ? await writeReportOf(options.out, { dataset, engine, pictures: picturesOf(options) }, context)
        : null;
      context.result(describe(report, options.out, reportFile), {
        bundle: options.out,
        report: reportFile,
        ...report,
        warnings,
      });
    });
  });
};

/** The model is saved by now, so a failure here is reported and costs the report only. */
async function writeReportOf(
  bundlePath: string,
  inputs: {
    readonly dataset: Dataset;
    readonly engine: Engine;
    readonly pictures: PictureOptions | null;
  },
  context: CommandContext,
): Promise<string | null> {
  const out = reportPath(bundlePath);
  context.note('Writing the report …');
  try {
    const { writeReport } = await import('../../trainer/report/write-report.js');
    const logFile = trainingLog(bundlePath);
    await writeReport({ bundlePath, out, logFile, watcher: context, ...inputs });
    return out;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.note(`The report could not be written; "unseen report" can make it later. The reason: ${reason}`);
    return null;
  }
}

function describe(
  { evaluations, baselines, selection, logFile }: TrainingReport,
  out: string,
  reportFile: string | null,
): string {
  const [first] = evaluations;
  const origin = biasOriginOf(selection.configuration, selection);
  const lines = [evaluationTable(first.evaluation, baselines, origin, selection.trials.at(-1))];
  if (evaluations.length > 1) lines.push(seedsTable(evaluations));
  const { length } = selection.trials;
  const tried = length > 1 ? length - 1 : length; // the last one repeats what was chosen
  lines.push(
    `Bundle: ${out}   (${tried} ${tried === 1 ? 'setting' : 'settings'} tried on validation classes; log: ${logFile})`,
  );
  if (reportFile !== null) lines.push(`Report: ${reportFile}   (open it in a browser)`);
  return lines.join('\n');
}
