/** Accuracy among unseen classes against the number of synthetic features of each, with one generator (figure 2). */
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { spread } from '../evaluation/spread.js';
import { judgedModel, type ExperimentRun } from './judged-model.js';
import type { Timekeeper } from './timekeeper.js';

export const sampleCounts = [1, 2, 5, 10, 20, 50, 100, 200, 500] as const;

export interface SamplesFigure {
  readonly figure: 'samples';
  readonly points: readonly { readonly samplesPerClass: number; readonly top1: number }[]; // percent, mean over seeds
  /** The smallest count after which more samples change it by at most half a point; null where it still rises or falls. */
  readonly plateauFrom: number | null;
}

const withinPlateau = 0.5;

export async function figureSamples(
  dataset: Dataset,
  configuration: Configuration,
  seeds: readonly number[],
  run: ExperimentRun,
  time: Timekeeper,
): Promise<SamplesFigure> {
  const points: { samplesPerClass: number; top1: number }[] = [];
  for (const samplesPerClass of sampleCounts) {
    const found: number[] = [];
    for (const seed of seeds) {
      const changed = { ...configuration, head: { ...configuration.head, samplesPerClass } };
      const name = `figure samples: ${samplesPerClass} per class, seed ${seed}`;
      found.push(
        await time.step(
          'figure samples',
          name,
          async () => (await judgedModel(dataset, changed, seed, run, 'standard')).top1!,
        ),
      );
    }
    points.push({ samplesPerClass, top1: 100 * spread(found).mean });
  }
  return { figure: 'samples', points, plateauFrom: plateauOf(points) };
}

export function plateauOf(points: SamplesFigure['points']): number | null {
  const best = bestOf(points);
  const last = points[points.length - 1];
  if (best.top1 - last.top1 > withinPlateau) return null; // a fall is no plateau, however early it begins
  const from = points.find(({ top1 }, i) =>
    points.slice(i + 1).every((later) => later.top1 - top1 <= withinPlateau),
  )!;
  return from === last ? null : from.samplesPerClass;
}

/** What the curve says of more synthetic features, in a sentence. */
export function plateauNote({ points, plateauFrom }: Pick<SamplesFigure, 'points' | 'plateauFrom'>): string {
  const [best, last] = [bestOf(points), points[points.length - 1]];
  const at = ({ samplesPerClass, top1 }: typeof last): string =>
    `${top1.toFixed(1)} % with ${samplesPerClass}`;
  const found =
    plateauFrom !== null
      ? `From ${plateauFrom} on, more gain at most half a point.`
      : best === last
        ? `It still rises where the curve ends, at ${at(last)}: there is no plateau yet.`
        : `It is best at ${at(best)} and falls to ${at(last)}: here more synthetic features cost accuracy.`;
  return `${found} The paper reaches its plateau by 100.`;
}

function bestOf(points: SamplesFigure['points']) {
  return points.reduce((best, point) => (point.top1 > best.top1 ? point : best));
}
