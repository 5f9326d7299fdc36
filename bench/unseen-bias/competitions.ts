/** Some of a fold's unseen classes competing with all of its seen ones, as the fold's bundle scores them. */
import type { Bundle } from '../../core/bundle/bundle.js';
import { matrix, type Matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { matchClasses } from '../../trainer/evaluation/evaluate-bundle.js';
import { openScoring } from '../../trainer/evaluation/evaluate.js';
import { testRows, unseenMask } from '../../trainer/evaluation/judge-rows.js';
import { marginsOf, type Margins } from '../../trainer/evaluation/metrics.js';
import { modelOfBundle } from '../../trainer/saving/restore.js';

export const kinds = ['at random', 'alike', 'highest on seen rows', 'lowest on seen rows'] as const;

export interface BiasTrial {
  readonly fold: number;
  readonly kind: (typeof kinds)[number];
  readonly competing: number;
  /** Rows of all seen classes and of the unseen ones that compete. */
  readonly margins: Margins;
  /** Of training rows of seen classes: by how much the best seen class leads the best unseen one that competes; ascending. */
  readonly trainingMargins: Float64Array;
  /** Of the same rows: the mean score of the best unseen class that competes. */
  readonly levelOnSeenRows: number;
  readonly head: Bundle['manifest']['head'];
}

const drawsPerCount = 3;
const maxTrainingRows = 2048; // as many as a bundle keeps for serving

export async function competitionsOf(bundle: Bundle, dataset: Dataset, fold: number): Promise<BiasTrial[]> {
  const random = Random.stream(fold, 'unseen-bias');
  const columns = matchClasses(bundle, dataset);
  const model = await modelOfBundle(bundle);
  const { score, release } = await openScoring(model, dataset.features);
  const tests = testRows(dataset);
  const training = random.shuffle(dataset.splits.train.slice()).subarray(0, maxTrainingRows).sort();
  const scores = inOrder(await score(tests), columns); // (tests, classes)
  const trainingScores = inOrder(await score(training), columns);
  await release();
  await model.mapper.release();

  const { labels, unseen, splits } = dataset;
  const level = meanScores(trainingScores);
  const byLevel = Array.from(unseen).sort((a, b) => level[b] - level[a]);
  const place = new Map(Array.from(tests, (row, i) => [row, i]));
  const isUnseen = unseenMask(dataset);

  const judge = (kind: BiasTrial['kind'], chosen: readonly number[]): BiasTrial => {
    const competes = Uint8Array.from(isUnseen, (mark, label) => (mark && !chosen.includes(label) ? 0 : 1));
    const rows = [...splits.testSeen, ...splits.testUnseen.filter((row) => competes[labels[row]])];
    const own = (all: Matrix, places: readonly number[], rowLabels: readonly number[]): Margins =>
      marginsOf(withoutOthers(all, places, competes), rowLabels, isUnseen);
    const margins = own(
      scores,
      rows.map((row) => place.get(row)!),
      rows.map((row) => labels[row]),
    );
    const trained = own(
      trainingScores,
      [...training.keys()],
      Array.from(training, (row) => labels[row]),
    );
    return {
      fold,
      kind,
      competing: chosen.length,
      margins,
      trainingMargins: Float64Array.from(trained.margin).sort(),
      levelOnSeenRows: meanOfBest(trainingScores, chosen),
      head: bundle.manifest.head,
    };
  };

  const results = [judge('at random', Array.from(unseen))];
  for (const count of [1, 2, 5, 10, 20].filter((number) => number < unseen.length)) {
    for (let draw = 0; draw < drawsPerCount; draw++) {
      const shuffled = random.shuffle(unseen.slice());
      results.push(judge('at random', Array.from(shuffled.subarray(0, count))));
      const alike = Array.from(unseen).sort(
        (a, b) => distance(bundle, columns, shuffled[0], a) - distance(bundle, columns, shuffled[0], b),
      );
      if (count > 1) results.push(judge('alike', alike.slice(0, count)));
    }
    results.push(judge('highest on seen rows', byLevel.slice(0, count)));
    results.push(judge('lowest on seen rows', byLevel.slice(-count)));
  }
  return results;
}

/** Columns in the order of the dataset's classes. */
function inOrder(scores: Matrix, columns: Int32Array): Matrix {
  const ordered = matrix(scores.rows, columns.length);
  for (let i = 0; i < scores.rows; i++)
    for (let label = 0; label < columns.length; label++)
      ordered.data[i * columns.length + label] = scores.data[i * scores.columns + columns[label]];
  return ordered;
}

/** The rows at these places; classes that do not compete score lower than any that does. */
function withoutOthers(scores: Matrix, places: readonly number[], competes: Uint8Array): Matrix {
  const kept = matrix(places.length, scores.columns);
  places.forEach((from, i) => {
    for (let label = 0; label < scores.columns; label++)
      kept.data[i * scores.columns + label] = competes[label]
        ? scores.data[from * scores.columns + label]
        : -Infinity;
  });
  return kept;
}

function meanScores(scores: Matrix): Float64Array {
  const sums = new Float64Array(scores.columns);
  scores.data.forEach((value, i) => (sums[i % scores.columns] += value / scores.rows));
  return sums;
}

function meanOfBest(scores: Matrix, chosen: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < scores.rows; i++)
    sum += Math.max(...chosen.map((label) => scores.data[i * scores.columns + label]));
  return sum / scores.rows;
}

/** Between two classes: squared, of their head rows. */
function distance({ weights }: Bundle, columns: Int32Array, a: number, b: number): number {
  const { data, columns: width } = weights;
  let sum = 0;
  for (let d = 0; d < width; d++) sum += (data[columns[a] * width + d] - data[columns[b] * width + d]) ** 2;
  return sum;
}
