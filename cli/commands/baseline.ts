import { runBaseline } from '../../trainer/baseline/baseline.js';
import { checkClassOrder, classOrderFindings } from '../../trainer/baseline/class-order.js';
import type { EszslOptions } from '../../trainer/baseline/eszsl.js';
import { loadDataset, type LoadOptions } from '../../trainer/datasets/load.js';
import { positive } from '../numbers.js';
import type { AddCommand } from '../program.js';
import { percent } from '../figures.js';
import { addLoadOptions } from './dataset.js';

type BaselineOptions = LoadOptions & EszslOptions & { data: string; json?: boolean };

export const addBaselineCommand: AddCommand = (program, run) => {
  const command = program
    .command('baseline')
    .description('Measure ESZSL, a closed-form method: what a trained model has to beat. Takes seconds.')
    .requiredOption('--data <directory>', 'the dataset')
    .option('--gamma <number>', 'feature regulariser, in mean eigenvalues (default 1)', positive)
    .option('--lambda <number>', 'attribute regulariser, in mean eigenvalues (default 0.4)', positive)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
Accuracies are means over classes. "standard" tells unseen classes apart from each other only;
"generalized" lets all classes compete, and H is the harmonic mean of its two accuracies.

Examples:
  unseen baseline --data data/cub
  unseen baseline --data data/cub --json`,
    );
  addLoadOptions(command).action(async (options: BaselineOptions) => {
    await run(options.json === true, async (context) => {
      context.note(`Reading ${options.data} …`);
      const dataset = await loadDataset(options.data, options);
      const warnings = classOrderFindings(checkClassOrder(dataset));
      for (const { message } of warnings) context.note(`Warning: ${message}.`);
      const result = await runBaseline(dataset, options, context);
      context.result(
        `ESZSL on ${dataset.name}, mean accuracy over classes in %
  standard     ${percent(result.standardAccuracy)}   (${dataset.unseen.length} unseen classes)
  generalized  ${percent(result.unseenAccuracy)}   unseen
               ${percent(result.seenAccuracy)}   seen
               ${percent(result.harmonicMean)}   H`,
        { dataset: dataset.name, method: 'eszsl', ...result, warnings },
      );
    });
  });
};
