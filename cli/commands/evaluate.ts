import { readBundle } from '../../core/bundle/read.js';
import { percentColumn } from '../../core/percent.js';
import { runBaselines } from '../../trainer/baseline/baseline.js';
import { openEngine } from '../../trainer/engine/open.js';
import { loadDataset, type LoadOptions } from '../../trainer/datasets/load.js';
import { asTrained } from '../../trainer/preparation/take-few-shot.js';
import { evaluateBundle, otherNetwork } from '../../trainer/evaluation/evaluate-bundle.js';
import { evaluationTable } from '../../trainer/evaluation/evaluation-table.js';
import { reliabilityTable } from '../../trainer/evaluation/reliability-table.js';
import { readConfiguration } from '../../trainer/read-configuration.js';
import { remembered } from '../../trainer/report/gather/history.js';
import { evaluateAtRuntime } from '../runtime-evaluation.js';
import type { AddCommand } from '../program.js';
import { addLoadOptions } from './dataset.js';

type EvaluateOptions = LoadOptions & { bundle: string; data: string; runtime?: boolean; json?: boolean };

const worstShown = 5;

export const addEvaluateCommand: AddCommand = (program, run) => {
  const command = program
    .command('evaluate')
    .description('Evaluate a bundle on the test rows of a dataset, beside two closed forms on the same data.')
    .requiredOption('--bundle <directory>', 'the bundle')
    .requiredOption('--data <directory>', 'the dataset; its classes must be those of the bundle')
    .option(
      '--runtime',
      'the bundle was trained with --hide-unseen: serve it, register the unseen classes over HTTP, and evaluate it over HTTP',
    )
    .option('--json', 'print one JSON document, with the accuracy of every class')
    .addHelpText(
      'after',
      `
Examples:
  unseen evaluate --bundle bundles/cub --data data/cub
  unseen evaluate --bundle bundles/cub --data data/cub --json | jq .generalized`,
    );
  addLoadOptions(command).action(async (options: EvaluateOptions) => {
    await run(options.json === true, async (context) => {
      const bundle = await readBundle(options.bundle);
      context.note(`Reading ${options.data} …`);
      const dataset = asTrained(bundle.manifest, await loadDataset(options.data, options));
      const warning = otherNetwork(bundle.manifest, dataset);
      if (warning !== null) context.note(`Warning: ${warning}`);
      const atRuntime = options.runtime
        ? await evaluateAtRuntime(options.bundle, bundle, dataset, context)
        : null;
      const evaluation = atRuntime?.evaluation ?? (await evaluateBundle(bundle, dataset));
      const engine = await openEngine('onnx', { provider: 'cpu', threads: 0 });
      const configuration = await readConfiguration({});
      const baselines = await runBaselines(dataset, { engine, seed: 1, watcher: context, configuration });
      const { biasOrigin, validation } = remembered(bundle.manifest);
      const worst = [...evaluation.perClass].sort((a, b) => a.accuracy - b.accuracy).slice(0, worstShown);
      context.result(
        [
          ...(atRuntime
            ? [
                `${atRuntime.registered} classes registered over HTTP in ${atRuntime.registrationSeconds.toFixed(1)} s.`,
              ]
            : []),
          evaluationTable(evaluation, baselines, biasOrigin, validation.at(-1)),
          reliabilityTable(evaluation.calibration),
          ...(worst.length > 0 ? ['Worst classes:'] : []),
          ...worst.map(
            ({ name, seen, accuracy }) =>
              `  ${percentColumn(accuracy)}  ${name} (${seen ? 'seen' : 'unseen'})`,
          ),
        ].join('\n'),
        {
          bundle: bundle.identity,
          dataset: dataset.name,
          ...evaluation,
          ...(atRuntime && { registered: atRuntime.registered }),
          baselines,
        },
      );
    });
  });
};
