import { Option } from 'commander';
import { runMethod, type BaselineResult } from '../../trainer/baseline/baseline.js';
import { checkClassOrder, classOrderFindings } from '../../trainer/baseline/class-order.js';
import type { EszslOptions } from '../../trainer/baseline/eszsl.js';
import { baselineMethods, baselineNames, type BaselineName } from '../../trainer/baseline/methods.js';
import type { Configuration } from '../../trainer/configuration.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { describeFinding } from '../../trainer/datasets/findings.js';
import { loadDataset, type LoadOptions } from '../../trainer/datasets/load.js';
import { missingRows } from '../../trainer/evaluation/missing-rows.js';
import { openEngine } from '../../trainer/engine/open.js';
import { takeFewShot } from '../../trainer/preparation/take-few-shot.js';
import { readConfiguration } from '../../trainer/read-configuration.js';
import { Failure } from '../../core/failures.js';
import { percent, percentWithinColumn } from '../../core/percent.js';
import { positive, wholeNumber } from '../numbers.js';
import type { CommandContext } from '../context.js';
import type { AddCommand } from '../program.js';
import { addLoadOptions } from './dataset.js';

interface BaselineOptions extends LoadOptions, EszslOptions {
  readonly data: string;
  readonly method: BaselineName;
  readonly seed: number;
  readonly json?: boolean;
}

export const addBaselineCommand: AddCommand = (program, run) => {
  const command = program
    .command('baseline')
    .description('Measure a method without a generator, as a baseline for trained models.')
    .requiredOption('--data <directory>', 'the dataset')
    .addOption(
      new Option(
        '--method <name>',
        'closed form: kernel-ridge, eszsl, sae; trained: ale, devise, softmax, conse',
      )
        .choices(baselineNames)
        .default('eszsl'),
    )
    .option('--gamma <number>', "ESZSL's feature regulariser, in mean eigenvalues (default 1)", positive)
    .option('--lambda <number>', "ESZSL's attribute regulariser, in mean eigenvalues (default 0.4)", positive)
    .option('--seed <number>', 'seed of the trained methods', wholeNumber, 1)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
Accuracies are means over classes. "standard" compares unseen classes with each other only;
"generalized" lets all classes compete, and H is the harmonic mean of its two accuracies.
kernel-ridge is what a trained model stands on; the bias on unseen classes is chosen as a model's is.
Settings of sae, ale, devise and conse are chosen on seen classes that are held out.
softmax is trained on real rows only: it never predicts an unseen class, and shows what a generator adds.

Examples:
  unseen baseline --data data/cub
  unseen baseline --data data/cub --method ale
  unseen baseline --data data/cub --json`,
    );
  addLoadOptions(command).action(async (options: BaselineOptions) => {
    await run(options.json === true, async (context) => {
      const { method } = options;
      if (method !== 'eszsl' && (options.gamma !== undefined || options.lambda !== undefined))
        throw new Failure(
          'usage',
          `--gamma and --lambda apply to ESZSL only; ${method} chooses its own settings.`,
        );
      context.note(`Reading ${options.data} …`);
      const loaded = await loadDataset(options.data, options);
      const warnings = classOrderFindings(checkClassOrder(loaded));
      for (const warning of warnings) context.note(describeFinding(warning));
      const configuration = await readConfiguration({});
      const dataset = takeFewShot(loaded, configuration);
      const result = await measure(dataset, configuration, options, context);
      const missing = missingRows(result);
      const { intervals: within } = result;
      context.result(
        `${baselineMethods[method].title} on ${dataset.name}, mean accuracy over classes in % (and its 95 % interval)
  standard     ${percentWithinColumn(result.standardAccuracy, within.top1)}   (${dataset.unseen.length} unseen classes)
  generalized  ${percentWithinColumn(result.unseenAccuracy, within.unseenAccuracy)}   unseen
               ${percentWithinColumn(result.seenAccuracy, within.seenAccuracy)}   seen
               ${percentWithinColumn(result.harmonicMean, within.harmonicMean)}   H at bias ${result.unseenBias.toFixed(3)}, chosen on validation classes; without it ${percent(result.withoutBias.harmonicMean)}${missing === null ? '' : `\n${missing}: what needs them cannot be measured`}`,
        { dataset: dataset.name, method, ...result, warnings },
      );
    });
  });
};

async function measure(
  dataset: Dataset,
  configuration: Configuration,
  options: BaselineOptions,
  watcher: CommandContext,
): Promise<BaselineResult> {
  const engine = await openEngine('onnx', { provider: 'cpu', threads: 0 });
  const { method, seed, gamma, lambda } = options;
  const given = { ...(gamma !== undefined && { gamma }), ...(lambda !== undefined && { lambda }) };
  const run = { engine, seed, watcher, configuration };
  return runMethod(dataset, method, run, Object.keys(given).length > 0 ? given : undefined);
}
