/**
 * Folds to choose on: of the seen classes of a dataset, some are held out and known by attributes alone, beside truly unseen classes as rivals; their
 * rows and held-out rows of the others are judged. Test rows are not looked at. The generator stays at its closed form, which makes a fold in
 * half a minute and is what validation chooses or nearly ties with on CUB.
 */
import { directRows } from '../../core/head/feature-map.js';
import { Scorer } from '../../core/head/scorer.js';
import { matrix, rowOf, takeRows, type Matrix } from '../../core/matrix.js';
import { mean } from '../../core/mean.js';
import { silent } from '../../core/progress.js';
import { fitGeometry } from '../../trainer/confidence/fit-geometry.js';
import { sampledRows, sampleFold, type FoldSample } from '../../trainer/confidence/fold-sample.js';
import { crowdingScale, promisesFor } from '../../trainer/confidence/promises.js';
import type { Configuration } from '../../trainer/configuration.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { validationSplit } from '../../trainer/datasets/validation-split.js';
import type { Engine } from '../../trainer/engine/contract.js';
import { openScoring } from '../../trainer/evaluation/evaluate.js';
import { judgeRows, testRows } from '../../trainer/evaluation/judge-rows.js';
import { withShare } from '../../trainer/generator/ensemble.js';
import { headFor, trainNetworks } from '../../trainer/model.js';
import { prepareTrainingData } from '../../trainer/preparation/training-data.js';
import type { JudgedFold } from '../../trainer/selection/bias.js';
import { judgeFewer } from '../../trainer/selection/fewer-competing.js';
import { attributeAgreement } from './attribute-agreement.js';

/** n rows, C classes; what candidates need beside what a validation fold of training keeps. */
export interface CandidateFold extends JudgedFold {
  readonly sample: FoldSample;
  /** Cosines with the nearest, the fifth and the twentieth training row: (n, 3). */
  readonly neighbours: Matrix;
  /** Cosine of the attributes read from each row with those of each class: (n, C). */
  readonly agreement: Matrix;
  /** Of the scores of each class on training rows of other classes: (C). */
  readonly usualScores: readonly Moments[];
  /** What classes that are alike are told by: encoded attributes of each, and what distances between them are measured in. */
  readonly alikeness: {
    readonly encodedOf: (name: string) => Float32Array;
    readonly scale: Float32Array;
  };
}

interface Moments {
  readonly mean: number;
  readonly deviation: number;
}

const heldOutShare = 0.2;
const neighbourRanks = [1, 5, 20];

export async function makeCandidateFold(
  dataset: Dataset,
  configuration: Configuration,
  engine: Engine,
  fold: number,
): Promise<CandidateFold> {
  const classes = Math.round(dataset.seen.length * heldOutShare);
  const rivals = Math.max(0, dataset.unseen.length - classes);
  const small = validationSplit(dataset, { seed: 1, ownFirst: false, fold, classes, rivals });
  const data = await prepareTrainingData(engine, small, configuration);
  const run = { engine, seed: 1, watcher: silent, label: 'fold' };
  try {
    const networks = withShare(await trainNetworks(data, configuration, run), 0);
    const head = await headFor(data, networks, configuration, run);
    const { temperature } = configuration.head;
    const { score, release } = await openScoring({ mapper: data.mapper, head, temperature }, small.features);
    const geometry = await fitGeometry(data);
    const sample = await sampleFold(score, head, small, data, geometry, (own) =>
      promisesFor(own, { data, networks, head, engine }, configuration.head),
    );
    const rows = directRows(await data.mapper.map(small.features, sampledRows(small)), 1);
    const training = directRows(
      takeRows(
        data.features,
        Int32Array.from({ length: data.features.rows }, (_, i) => i),
      ),
      1,
    );
    const candidateFold = {
      sample,
      margins: await judgeRows(score, small, testRows(small)),
      competing: small.unseen.length,
      fewer: await judgeFewer(score, small),
      neighbours: await neighboursOf(rows, training),
      agreement: attributeAgreement(rows, training, data),
      usualScores: momentsOf(await score(small.splits.train), data.labels),
      alikeness: {
        encodedOf: (name: string) => rowOf(data.attributes, small.classNames.indexOf(name)),
        scale: crowdingScale(data),
      },
    };
    await release();
    return candidateFold;
  } finally {
    await data.release();
  }
}

async function neighboursOf(rows: Matrix, training: Matrix): Promise<Matrix> {
  const scorer = await Scorer.open();
  const head = { weights: training, bias: new Float32Array(training.rows) };
  const cosines = await scorer.score(head, rows);
  await scorer.release();
  const found = matrix(rows.rows, neighbourRanks.length);
  for (let i = 0; i < rows.rows; i++) {
    const sorted = rowOf(cosines, i).sort();
    neighbourRanks.forEach((rank, k) => (rowOf(found, i)[k] = sorted[sorted.length - rank]));
  }
  return found;
}

function momentsOf(scores: Matrix, labels: Int32Array): Moments[] {
  return Array.from({ length: scores.columns }, (_, c) => {
    const values = Array.from(labels.keys())
      .filter((i) => labels[i] !== c)
      .map((i) => scores.data[i * scores.columns + c]);
    const center = mean(values);
    const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
    return { mean: center, deviation: Math.sqrt(squares / values.length) };
  });
}
