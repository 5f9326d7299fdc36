import { percent, percentColumn } from '../../core/percent.js';
import type { BaselineResult, Baselines } from '../baseline/baseline.js';
import type { Evaluation } from './evaluate.js';
import { spread } from './spread.js';

interface SeedFigures {
  readonly evaluation: Evaluation;
  readonly baselines: Baselines;
}

type Figures = Pick<BaselineResult, 'unseenAccuracy' | 'seenAccuracy' | 'harmonicMean' | 'standardAccuracy'>;

/** What ± covers, in the words of every command that prints it. */
export const coveredBySpread =
  '± is the standard deviation over seeds; each has its own training, validation folds and bias';

const columns: readonly [title: string, figures: (seed: SeedFigures) => Figures][] = [
  [
    'model',
    ({ evaluation: { generalized, standard } }) => ({ ...generalized, standardAccuracy: standard.top1 }),
  ],
  ['kernel ridge', ({ baselines }) => baselines.kernelRidge],
  ['ESZSL', ({ baselines }) => baselines.eszsl],
];
const width = ' 57.1 ± 0.2'.length;

/** The model beside the baselines as means over several seeds, and H of each seed: a model should be ahead on all of them. */
export function seedsTable(seeds: readonly SeedFigures[]): string {
  const line = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(34)}${cells.map((cell) => cell.padEnd(width)).join('   ')}`.trimEnd();
  const means = (name: string, pick: (figures: Figures) => number | null): string =>
    line(
      name,
      columns.map(([, figures]) => meanAndSpread(seeds.map((seed) => pick(figures(seed))))),
    );
  return [
    `Over ${seeds.length} seeds (${coveredBySpread})`,
    line(
      '',
      columns.map(([title]) => title),
    ),
    means('all classes compete: unseen', ({ unseenAccuracy }) => unseenAccuracy),
    means('                     seen', ({ seenAccuracy }) => seenAccuracy),
    means('                     H', ({ harmonicMean }) => harmonicMean),
    ...seeds.map((seed, i) =>
      line(
        `                     H, seed ${i + 1} of ${seeds.length}`,
        columns.map(([, figures]) => percentColumn(figures(seed).harmonicMean)),
      ),
    ),
    means('unseen classes only: top-1', ({ standardAccuracy }) => standardAccuracy),
  ].join('\n');
}

/** A figure is missing for every seed or for none: it depends on which test rows there are. */
function meanAndSpread(values: readonly (number | null)[]): string {
  const measured = values.filter((value) => value !== null);
  if (measured.length === 0) return percentColumn(null);
  const { mean, deviation } = spread(measured);
  return `${percentColumn(mean)} ± ${percent(deviation)}`;
}
