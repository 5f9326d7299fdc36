import { Option, type Command } from 'commander';
import { checkClassOrder, classOrderFindings } from '../../trainer/baseline/class-order.js';
import { convertDataset } from '../../trainer/datasets/convert.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { fewShotInWords } from '../../trainer/datasets/few-shot.js';
import { describeFinding } from '../../trainer/datasets/findings.js';
import { loadAndCheck, type DatasetForm, type LoadOptions } from '../../trainer/datasets/load.js';
import { featurePlaces } from '../../trainer/datasets/open-form-features.js';
import { datasetInvalid } from '../../trainer/datasets/problems.js';
import type { CommandContext } from '../context.js';
import { count } from '../numbers.js';
import { classesInWords, datasetFigures } from '../dataset-figures.js';
import type { AddCommand } from '../program.js';

export const addDatasetCommand: AddCommand = (program, run) => {
  const dataset = program.command('dataset').description('Check a dataset, or convert it between forms.');

  dataset
    .command('check')
    .description(
      'Check whether a dataset can be used, and list everything that is wrong or unusual about it.',
    )
    .argument(
      '<directory>',
      'the dataset, in the open form (dataset.json) or as xlsa17 files (att_splits.mat)',
    )
    .option('--json', 'print one JSON document')
    .exitOverride() // main.ts sets this on top-level commands only
    .addHelpText(
      'after',
      `
Examples:
  unseen dataset check data/cub
  unseen dataset check data/awa2 --features res50.mat --json`,
    )
    .action(async (directory: string, options: LoadOptions & { json?: boolean }) => {
      await run(options.json === true, (context) => check(directory, options, context));
    });

  dataset
    .command('convert')
    .description('Convert a dataset to the other form. Every number is preserved exactly.')
    .argument('<from>', 'the dataset to read')
    .argument('<to>', 'the directory to make; it must not exist')
    .addOption(new Option('--to <form>', 'the form to write').choices(['open', 'xlsa17']).default('open'))
    .option('--json', 'print one JSON document')
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  unseen dataset convert data/cub data/cub-open
  unseen dataset convert my-birds my-birds-xlsa17 --to xlsa17`,
    )
    .action(async (from: string, to: string, options: LoadOptions & { to: DatasetForm; json?: boolean }) => {
      await run(options.json === true, async (context) => {
        context.note(`Reading ${from} and writing ${to} …`);
        await convertDataset(from, to, options.to, options, context);
        context.result(`Wrote ${to} (${formNames[options.to]}).`, { from, to, form: options.to });
      });
    });

  for (const command of dataset.commands) addLoadOptions(command);
};

/** How to read a dataset; shared by every command that reads datasets. */
export function addLoadOptions(command: Command): Command {
  return command
    .option('--features <file>', 'xlsa17: the features file, when the directory holds several')
    .addOption(
      new Option(
        '--attributes <which>',
        'xlsa17: normalised attributes, or the original percentages',
      ).choices(['att', 'original']),
    )
    .option(
      '--unseen-classes <file>',
      "split by classes, as the standard split does: a file with an unseen class on each line (xlsa17's testclasses.txt)",
    )
    .option('--rows-per-class <count>', 'maximum number of training rows per class, drawn at random', count)
    .addOption(
      new Option(
        '--features-in <where>',
        'open form: features in memory, or on disk and read in pieces (auto: on disk above 1 GiB)',
      )
        .choices(featurePlaces)
        .default('auto'),
    );
}

const formNames: Record<DatasetForm, string> = { open: 'open form', xlsa17: 'xlsa17' };

async function check(directory: string, options: LoadOptions, context: CommandContext): Promise<void> {
  context.note(`Reading ${directory} …`);
  const { dataset, form, findings } = await loadAndCheck(directory, options);
  const errors = findings.filter((finding) => finding.severity === 'error');
  if (errors.length > 0) throw datasetInvalid(directory, findings.map(describeFinding));
  const order = checkClassOrder(dataset);
  const warnings = [...findings, ...classOrderFindings(order)];
  const text = [
    summary(dataset, form),
    order.isConclusive
      ? `Attributes explain ${(100 * order.explained).toFixed(0)} % of what tells seen classes apart.`
      : 'There are too few classes to tell whether the attributes belong to them.',
    ...warnings.map(describeFinding),
    warnings.length === 0 ? 'No problems found.' : '',
  ];
  context.result(text.filter((line) => line !== '').join('\n'), {
    name: dataset.name,
    form,
    attributes: dataset.attributes.columns,
    ...datasetFigures(dataset),
    validationClasses: dataset.validationClasses?.length ?? null,
    classOrder: order,
    warnings,
  });
}

function summary(dataset: Dataset, form: DatasetForm): string {
  const { name, features, attributes, splits, validationClasses } = dataset;
  const fewShot = fewShotInWords(dataset);
  return `${name} (${formNames[form]})
  ${features.rows} rows of ${features.columns} features
  ${classesInWords(dataset)} with ${attributes.columns} attributes
  ${splits.train.length} training rows, ${splits.testSeen.length} test rows of seen and ${splits.testUnseen.length} of unseen classes${fewShot === '' ? '' : `\n  ${fewShot}, which count as unseen classes`}
  ${validationClasses ? `${validationClasses.length} validation classes` : 'no validation classes: some are held out by seed'}`;
}
