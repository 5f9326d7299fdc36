/** What `bench -- small-data` compares: the product first, then the baselines. Add a baseline to the list at the end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silent } from '../../core/progress.js';
import { runMethod } from '../../trainer/baseline/baseline.js';
import type { BaselineName } from '../../trainer/baseline/methods.js';
import { configurationSchema, type Configuration } from '../../trainer/configuration.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import type { Engine } from '../../trainer/engine/contract.js';
import type { AccuracyIntervals, Interval } from '../../trainer/evaluation/intervals.js';
import { takeFewShot } from '../../trainer/preparation/take-few-shot.js';
import { noSearch } from '../../trainer/presets.js';
import { train } from '../../trainer/train.js';

interface Measured {
  readonly value: number;
  readonly interval: Interval;
}

export interface Judgement {
  readonly harmonicMean: Measured;
  readonly top1: Measured; // unseen classes only
}

interface ComparedMethod {
  readonly name: string;
  readonly judge: (dataset: Dataset) => Promise<Judgement>;
}

export const quickConfiguration = configurationSchema.parse({
  generator: { members: 1 },
  validation: { search: noSearch },
});

export function smallDataMethods(engine: Engine, configuration: Configuration): readonly ComparedMethod[] {
  return [
    { name: 'product', judge: (dataset) => judgeProduct(dataset, engine, configuration) },
    {
      name: 'kernel ridge',
      judge: (dataset) => judgeBaseline(dataset, 'kernel-ridge', engine, configuration),
    },
    { name: 'ESZSL', judge: (dataset) => judgeBaseline(dataset, 'eszsl', engine, configuration) },
  ];
}

/** What `unseen train` gives. */
async function judgeProduct(
  dataset: Dataset,
  engine: Engine,
  configuration: Configuration,
): Promise<Judgement> {
  const folder = mkdtempSync(join(tmpdir(), 'unseen-bench-'));
  try {
    const { evaluations } = await train({
      dataset,
      configuration,
      seeds: [1],
      engine,
      out: join(folder, 'bundle'),
      resume: false,
      watcher: silent,
    });
    const { generalized, standard, intervals } = evaluations[0].evaluation;
    return judgement(generalized.harmonicMean, standard.top1, intervals);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** With the bias that validation classes choose for it, on the same seen and unseen classes as the product. */
async function judgeBaseline(
  dataset: Dataset,
  name: BaselineName,
  engine: Engine,
  configuration: Configuration,
): Promise<Judgement> {
  const run = { engine, seed: 1, watcher: silent, configuration };
  const { harmonicMean, standardAccuracy, intervals } = await runMethod(
    takeFewShot(dataset, configuration),
    name,
    run,
  );
  return judgement(harmonicMean, standardAccuracy, intervals);
}

function judgement(mean: number | null, top1: number | null, intervals: AccuracyIntervals): Judgement {
  return {
    harmonicMean: { value: mean!, interval: intervals.harmonicMean! }, // every case has test rows of both kinds
    top1: { value: top1!, interval: intervals.top1! },
  };
}
