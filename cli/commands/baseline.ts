import { Option } from 'commander';
import { runMethod, type BaselineResult } from '../../trainer/baseline/baseline.js';
import { checkClassOrder, classOrderFindings } from '../../trainer/baseline/class-order.js';
import type { EszslOptions } from '../../trainer/baseline/eszsl.js';
import {
  baselineMethods,
  baselineNames,
  type BaselineName,
  type Settings,
} from '../../trainer/baseline/methods.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { describeFinding } from '../../trainer/datasets/findings.js';
import { loadDataset, type LoadOptions } from '../../trainer/datasets/load.js';
import { biasInDigits } from '../../trainer/evaluation/bias-origin.js';
import type { Interval } from '../../trainer/evaluation/intervals.js';
import { missingRows } from '../../trainer/evaluation/missing-rows.js';
import { openEngine } from '../../trainer/engine/open.js';
import { takeFewShot } from '../../trainer/preparation/take-few-shot.js';
import { readConfiguration } from '../../trainer/read-configuration.js';
import { Failure } from '../../core/failures.js';
import { percent, percentWithinColumn } from '../../core/percent.js';
import { positive, wholeNumber } from '../numbers.js';
import type { AddCommand } from '../program.js';
import { addLoadOptions } from './dataset.js';

interface BaselineOptions extends LoadOptions, EszslOptions {
  readonly data: string;
  readonly method?: BaselineName;
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
        'closed form: kernel-ridge, eszsl, sae; trained: ale, devise, softmax, conse (default: kernel-ridge and eszsl)',
      ).choices(baselineNames),
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
Without --method both closed forms are measured that stand beside every trained model; kernel-ridge is what a model
stands on. The bias on unseen classes is chosen as a model's is. --gamma and --lambda ask for ESZSL alone.
Settings of sae, ale, devise and conse are chosen on seen classes that are held out.
softmax is trained on real rows only: it never predicts an unseen class, and shows what a generator adds.

Examples:
  unseen baseline --data data/cub
  unseen baseline --data data/cub --method ale
  unseen baseline --data data/cub --json`,
    );
  addLoadOptions(command).action(async (options: BaselineOptions) => {
    await run(options.json === true, async (context) => {
      const methods = methodsOf(options);
      context.note(`Reading ${options.data} …`);
      const loaded = await loadDataset(options.data, options);
      const warnings = classOrderFindings(checkClassOrder(loaded));
      for (const warning of warnings) context.note(describeFinding(warning));
      const configuration = await readConfiguration({});
      const dataset = takeFewShot(loaded, configuration);
      const engine = await openEngine('onnx', { provider: 'cpu', threads: 0 });
      const run = { engine, seed: options.seed, watcher: context, configuration };
      const results: (BaselineResult & { readonly method: BaselineName })[] = [];
      for (const method of methods)
        results.push({ method, ...(await runMethod(dataset, method, run, givenSettings(options))) });
      context.result(
        results.map((result) => describe(result, dataset)).join('\n\n'),
        methods.length > 1
          ? { dataset: dataset.name, methods: results, warnings }
          : { dataset: dataset.name, ...results[0], warnings },
      );
    });
  });
};

/** The one named, or both closed forms; what only ESZSL has asks for ESZSL alone. */
function methodsOf(options: BaselineOptions): readonly BaselineName[] {
  const { method } = options;
  if (givenSettings(options) === undefined)
    return method === undefined ? ['kernel-ridge', 'eszsl'] : [method];
  if (method !== undefined && method !== 'eszsl')
    throw new Failure(
      'usage',
      `--gamma and --lambda apply to ESZSL only; ${method} chooses its own settings.`,
    );
  return ['eszsl'];
}

function givenSettings({ gamma, lambda }: BaselineOptions): Settings | undefined {
  if (gamma === undefined && lambda === undefined) return undefined;
  return { ...(gamma !== undefined && { gamma }), ...(lambda !== undefined && { lambda }) };
}

function describe(result: BaselineResult & { readonly method: BaselineName }, dataset: Dataset): string {
  const { intervals: within, validation } = result;
  const missing = missingRows(result);
  const line = (name: string, figure: number | null, interval: Interval | null, remark: string): string =>
    `  ${name.padEnd(13)}${percentWithinColumn(figure, interval)}   ${remark}`;
  const lines = [
    `${baselineMethods[result.method].title} on ${dataset.name}, mean accuracy over classes in % (and its 95 % interval)`,
    line('standard', result.standardAccuracy, within.top1, `(${dataset.unseen.length} unseen classes)`),
    line('generalized', result.unseenAccuracy, within.unseenAccuracy, 'unseen'),
    line('', result.seenAccuracy, within.seenAccuracy, 'seen'),
    line('', result.harmonicMean, within.harmonicMean, `H ${biasInWords(result)}`),
  ];
  if (missing !== null) lines.push(`${missing}: what needs them cannot be measured`);
  if (missing !== null && validation)
    lines.push(
      `On validation classes, seen ones that played unseen: H ${percent(validation.harmonicMean)}, top-1 ${percent(validation.standardTop1)}`,
    );
  return lines.join('\n');
}

function biasInWords({ biasOrigin, unseenBias, withoutBias }: BaselineResult): string {
  switch (biasOrigin) {
    case 'chosen':
      return `at bias ${biasInDigits(unseenBias)}, chosen on validation classes; without it ${percent(withoutBias.harmonicMean)}`;
    case 'not-chosen':
      return 'without a bias: there are too few seen classes to validate on';
    case 'none':
      return 'without a bias, which this method does not have';
  }
}
