/**
 * Real and synthetic features of unseen classes in the plane (figure 4). The report of a training run draws the same; here
 * the accuracy beside each class is that of the standard setting, among unseen classes only.
 */
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { evaluateModel } from '../evaluation/evaluate.js';
import { testRows } from '../evaluation/judge-rows.js';
import { Synthesiser } from '../generator/synthesise.js';
import { trainModel, type TrainedModel } from '../model.js';
import { embedding } from '../report/gather/embedding.js';
import type { EmbeddingFacts } from '../report/report-data.js';
import { ExperimentDirectory } from './experiment-directory.js';
import type { ExperimentRun } from './judged-model.js';
import type { Timekeeper } from './timekeeper.js';

export interface TsneFigure {
  readonly figure: 'tsne';
  readonly seed: number;
  readonly embedding: EmbeddingFacts | null; // null: too few test rows
}

/** One model is enough to look at: that of the first seed. */
export function figureTsne(
  dataset: Dataset,
  configuration: Configuration,
  [seed]: readonly number[],
  run: ExperimentRun,
  time: Timekeeper,
): Promise<TsneFigure> {
  const { features, generator, head, transductive } = configuration;
  const unit = ExperimentDirectory.unit('tsne', features, generator, head, transductive, seed);
  return time.step('figure tsne', `figure tsne: seed ${seed}`, () =>
    run.directory.once(unit, async () => {
      const checkpoints = run.directory.generators(configuration, seed);
      const label = `seed ${seed}, generator`;
      const model = await trainModel(dataset, configuration, { ...run, seed, label, checkpoints });
      try {
        return {
          figure: 'tsne' as const,
          seed,
          embedding: await embed(model, dataset, configuration, seed, run),
        };
      } finally {
        await model.data.release();
      }
    }),
  );
}

async function embed(
  { data, networks, head }: TrainedModel,
  dataset: Dataset,
  configuration: Configuration,
  seed: number,
  { engine, watcher }: ExperimentRun,
): Promise<EmbeddingFacts | null> {
  const { temperature } = configuration.head;
  // An infinite bias assigns every row to an unseen class, as the standard setting does.
  const evaluation = await evaluateModel({ mapper: data.mapper, head, temperature }, dataset, Infinity);
  const generator = await Synthesiser.open(engine, networks);
  try {
    const { attributes, mapper } = data;
    const model = { dataset, configuration, attributes, mapper, generator, evaluation, seed };
    return await embedding({ ...model, testRows: testRows(dataset) }, data.features, watcher);
  } finally {
    await generator.release();
  }
}
