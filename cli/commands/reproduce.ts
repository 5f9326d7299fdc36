import { Option } from 'commander';
import { Failure } from '../../core/failures.js';
import { openEngine } from '../../trainer/engine/open.js';
import {
  benchmarkNamed,
  benchmarks,
  tableNames,
  type Benchmark,
  type BenchmarkSplit,
  type TableName,
} from '../../trainer/experiments/published.js';
import { renderMarkdown } from '../../trainer/experiments/render.js';
import { figureNames, reproduce, type FigureName } from '../../trainer/experiments/reproduce.js';
import { count, wholeNumber } from '../numbers.js';
import type { AddCommand } from '../program.js';
import { sameCommandAgain, sayHowToResume } from '../say-how-to-resume.js';
import {
  addTrainingOptions,
  noteWarnings,
  openInputs,
  settingsOf,
  type TrainingOptions,
} from '../training-inputs.js';

interface ReproduceOptions extends TrainingOptions {
  readonly table: readonly TableName[];
  readonly figure: readonly FigureName[];
  readonly ablations?: boolean;
  readonly baselines: boolean;
  readonly benchmark?: Benchmark;
  readonly split: BenchmarkSplit;
  readonly seeds: number;
}

export const addReproduceCommand: AddCommand = (program, run) => {
  const command = program
    .command('reproduce')
    .description("Make the paper's tables and figures on a dataset, beside the published figures.")
    .requiredOption('--data <directory>', 'the dataset')
    .requiredOption('--out <directory>', 'where results go; existing results are not computed again')
    .addOption(new Option('--table <name...>', 'tables to make').choices(tableNames).default([]))
    .addOption(new Option('--figure <name...>', 'figures to make').choices(figureNames).default([]))
    .option('--ablations', 'also the ablation rows, which change one thing each')
    .option('--no-baselines', 'leave out the methods without a generator')
    .addOption(
      new Option(
        '--benchmark <name>',
        'the benchmark whose published figures are shown beside ours (default: by the name of the data)',
      ).choices(benchmarks),
    )
    .addOption(
      new Option('--split <name>', 'the split that the data has')
        .choices(['proposed', 'standard'])
        .default('proposed'),
    )
    .option('--seed <number>', 'the first seed', wholeNumber, 1)
    .option(
      '--seeds <count>',
      'how many seeds, each with validation folds of its own; figures are means',
      count,
      3,
    )
    .addHelpText(
      'after',
      `
gzsl lets all classes compete, szsl unseen classes only; tzsl is szsl with the unseen rows available in training, unlabelled.
imagenet is szsl with top-5, for word vectors as attributes and features too large for memory: those are read in pieces.
OUT gets results.json, report.md and report.html, which has the charts. To resume a run
that was stopped or killed, start it again.

Examples:
  unseen reproduce --data data/cub --out cub --table gzsl szsl tzsl --ablations
  unseen reproduce --data data/cub --out cub --table szsl --ablations --seeds 1
  unseen reproduce --data data/cub --out cub --figure samples ipot-vs-sinkhorn tsne --seeds 1
  unseen reproduce --data data/imagenet --out imagenet --table imagenet --rows-per-class 200 --seeds 1`,
    );
  addTrainingOptions(command).action(async (options: ReproduceOptions) => {
    await run(options.json === true, async (context) => {
      if (options.table.length + options.figure.length === 0)
        throw new Failure('usage', 'Nothing to reproduce: name at least one --table or --figure.');
      const configuration = await settingsOf(options);
      const open = () => openEngine('onnx', { provider: 'cpu', threads: options.threads });
      const inputs = await openInputs(options, open, context);
      const { engine, dataset } = inputs;
      noteWarnings(inputs, context);
      const reproduction = await sayHowToResume(sameCommandAgain, () =>
        reproduce({
          dataset,
          configuration,
          engine,
          out: options.out,
          tables: options.table,
          figures: options.figure,
          ablations: options.ablations === true,
          baselines: options.baselines,
          benchmark: options.benchmark ?? benchmarkNamed(dataset.name),
          split: options.split,
          seeds: Array.from({ length: options.seeds }, (_, i) => options.seed + i),
          watcher: context,
        }),
      );
      context.result(renderMarkdown(reproduction), reproduction);
    });
  });
};
