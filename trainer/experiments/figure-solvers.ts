/**
 * IPOT against Sinkhorn over the epochs (figure 3). The paper does not say what its validation loss is. Here it is the exact
 * transport cost between real rows of held-out classes and as many rows generated from the attributes of those classes:
 * both arms are measured by the same exact solver, whatever solver they train with. Steps use transport as often as in the
 * paper (p = 0.9), lambda 0.5 for IPOT and epsilon 0.1 for Sinkhorn, as in the paper.
 */
import { directRows } from '../../core/head/feature-map.js';
import { Random } from '../../core/random.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { Synthesiser } from '../generator/synthesise.js';
import { trainGenerator } from '../generator/train.js';
import { prepareTrainingData } from '../preparation/training-data.js';
import { validationDataset } from '../selection/validate.js';
import { cosineCosts } from '../transport/cosine-costs.js';
import { solveExactly } from '../transport/exact.js';
import { ExperimentDirectory } from './experiment-directory.js';
import type { ExperimentRun } from './judged-model.js';
import type { Timekeeper } from './timekeeper.js';

export interface SolversFigure {
  readonly figure: 'ipot-vs-sinkhorn';
  readonly curves: readonly SolverCurve[];
}

export interface SolverCurve {
  readonly solver: 'ipot' | 'sinkhorn';
  readonly seed: number;
  readonly validationLoss: readonly number[]; // after each epoch
}

const maxRows = 512;
const solvers = ['ipot', 'sinkhorn'] as const;

export async function figureSolvers(
  dataset: Dataset,
  configuration: Configuration,
  seeds: readonly number[],
  run: ExperimentRun,
  time: Timekeeper,
): Promise<SolversFigure> {
  const curves: SolverCurve[] = [];
  for (const solver of solvers) {
    const { generator } = configuration;
    const transport = { ...generator.transport, solver, epsilon: 0.1 };
    const changed = {
      ...configuration,
      generator: { ...generator, members: 1, transportProbability: 0.9, transport },
    };
    for (const seed of seeds) {
      const unit = ExperimentDirectory.unit('curve', changed.features, changed.generator, seed);
      const validationLoss = await time.step(
        kindOfStep,
        `figure ipot-vs-sinkhorn: ${solver}, seed ${seed}`,
        () => run.directory.once(unit, () => lossCurve(dataset, changed, seed, run)),
      );
      curves.push({ solver, seed, validationLoss });
    }
  }
  return { figure: 'ipot-vs-sinkhorn', curves };
}

const kindOfStep = 'figure ipot-vs-sinkhorn';

export function stepsOfSolvers(seeds: readonly number[]): string[] {
  return solvers.flatMap(() => seeds.map(() => kindOfStep));
}

async function lossCurve(
  dataset: Dataset,
  configuration: Configuration,
  seed: number,
  { engine, watcher }: ExperimentRun,
): Promise<number[]> {
  const validation = validationDataset(dataset, configuration, 0);
  const data = await prepareTrainingData(engine, validation, configuration, watcher.signal);
  try {
    const rows = Random.stream(0, 'figure.rows')
      .shuffle(validation.splits.testUnseen.slice())
      .subarray(0, maxRows);
    const real = directRows(await data.mapper.map(validation.features, rows), 1);
    const labels = rows.map((row) => validation.labels[row]);
    const losses: number[] = [];
    await trainGenerator(engine, data, configuration.generator, seed, {
      watcher,
      label: `${configuration.generator.transport.solver}, seed ${seed}`,
      afterEpoch: async (networks) => {
        const synthesiser = await Synthesiser.open(engine, networks);
        const noise = Random.stream(seed, 'figure.noise');
        const drawn = await synthesiser
          .draw(data.attributes, labels, 1, noise)
          .finally(() => synthesiser.release());
        losses.push(solveExactly({ cost: cosineCosts(real, directRows(drawn, 1)) }).cost);
      },
    });
    return losses;
  } finally {
    await data.release();
  }
}
