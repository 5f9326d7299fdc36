/**
 * Accuracy over the number of synthetic rows for each unseen class (figure 2 of the paper): the head is refitted with
 * few and with many of them, everything else unchanged. Where the curve is flat, more rows gain nothing.
 */
import { releaseRows, type RowSource } from '../../../core/matrix.js';
import type { Watcher } from '../../../core/progress.js';
import { Random } from '../../../core/random.js';
import type { Engine } from '../../engine/contract.js';
import { evaluateModel, type Evaluation } from '../../evaluation/evaluate.js';
import { fitHead } from '../../head/fit.js';
import { headTrainingSet } from '../../head/training-set.js';
import type { SyntheticRowFacts, SyntheticRowPoint } from '../report-data.js';
import type { ReportContext } from './report-context.js';

/** The most informative counts first: on a slow machine the rest is left out. */
const counts = [10, 100, 1, 30, 3, 300];
const maxValues = 150e6; // of the rows that the head is fitted to: 600 MB

export async function syntheticRowCounts(
  context: ReportContext,
  realTraining: RowSource,
  options: { readonly engine: Engine; readonly watcher: Watcher; readonly seconds: number },
): Promise<SyntheticRowFacts | null> {
  const { dataset, configuration, evaluation } = context;
  if (dataset.unseen.length === 0 || dataset.splits.testUnseen.length === 0) return null;
  const classes = configuration.head.syntheticSeen ? dataset.classNames.length : dataset.unseen.length;
  const rowsWith = (count: number): number => realTraining.rows + classes * count;
  const points: SyntheticRowPoint[] = [];
  const leftOut: number[] = [];
  const start = performance.now();
  let secondsPerRow = 0;
  for (const count of counts) {
    const spent = (performance.now() - start) / 1000;
    const tooLong = spent + secondsPerRow * rowsWith(count) > options.seconds;
    if (tooLong || rowsWith(count) * realTraining.columns > maxValues) {
      leftOut.push(count);
      continue;
    }
    points.push(point(count, await refitted(context, realTraining, count, options)));
    secondsPerRow = ((performance.now() - start) / 1000 - spent) / rowsWith(count);
  }
  points.sort((a, b) => a.count - b.count);
  leftOut.sort((a, b) => a - b);
  const { samplesPerClass } = context.bundle.manifest.head; // what a setting of null came to
  return { points, configured: point(samplesPerClass, evaluation), leftOut };
}

async function refitted(
  { dataset, configuration, attributes, generator, mapper, unseenBias, bundle, head: near }: ReportContext,
  realTraining: RowSource,
  samplesPerClass: number,
  { engine, watcher }: { readonly engine: Engine; readonly watcher: Watcher },
): Promise<Evaluation> {
  const { seed } = bundle.manifest;
  const settings = { ...configuration.head, samplesPerClass };
  const data = {
    attributes,
    features: realTraining,
    labels: dataset.splits.train.map((row) => dataset.labels[row]),
    seen: dataset.seen,
    unseen: dataset.unseen,
  };
  const set = await headTrainingSet(data, generator, settings, {
    noise: Random.stream(seed, 'head.noise'),
    residuals: Random.stream(seed, 'head.residuals'),
  });
  const head = await fitHead(engine, set, settings, watcher, near).finally(() => {
    releaseRows(set.rows);
  });
  return evaluateModel({ mapper, head, temperature: settings.temperature }, dataset, unseenBias);
}

function point(count: number, { generalized, standard }: Evaluation): SyntheticRowPoint {
  const { unseenAccuracy, seenAccuracy, harmonicMean } = generalized;
  return { count, top1: standard.top1, unseenAccuracy, seenAccuracy, harmonicMean };
}
