/**
 * Real and synthetic rows of some classes in the plane (figure 4 of the paper). Real rows are test rows; synthetic rows
 * are made as the head's are: drawn from the generator, with the real spread that the settings ask for. All are
 * directions, because that is what the head sees.
 */
import { dotProduct } from '../../../core/compute/dot-product.js';
import { directRows } from '../../../core/head/feature-map.js';
import { addResiduals, directionOf, donorsOf, type DrawSource } from '../../../core/head/synthetic-rows.js';
import { matrix, rowOf, stackRows, type Matrix, type RowSource } from '../../../core/matrix.js';
import type { Watcher } from '../../../core/progress.js';
import { Random } from '../../../core/random.js';
import type { EmbeddedClass, EmbeddingFacts } from '../report-data.js';
import { tsne } from '../tsne/tsne.js';
import type { ReportContext } from './report-context.js';

const maxClasses = 10;
const maxRowsPerClass = 150; // with as many synthetic ones and ten classes, 3,000 points
const fewestRows = 8;

/** A model beside its dataset: a saved one, or one that was just trained. */
interface EmbeddedModel extends Pick<
  ReportContext,
  'dataset' | 'configuration' | 'attributes' | 'testRows' | 'evaluation' | 'mapper'
> {
  readonly generator: DrawSource;
  readonly seed: number;
}

export async function embedding(
  context: EmbeddedModel,
  realTraining: RowSource,
  watcher: Watcher,
): Promise<EmbeddingFacts | null> {
  const shown = chooseClasses(context);
  const random = Random.stream(context.seed, 'report.embedding');
  const chosen = shown.map(({ label, rows }) => ({
    label,
    rows: Array.from(random.shuffle(rows.slice())).slice(0, maxRowsPerClass),
  }));
  if (chosen.reduce((all, { rows }) => all + rows.length, 0) < fewestRows) return null;
  const real = await realRows(
    context,
    chosen.flatMap(({ rows }) => rows),
  );
  const synthetic = await syntheticRows(context, realTraining, chosen, random);
  const { points, perplexity, divergence } = await tsne(stackRows([real, synthetic]), random, watcher);
  const classOf = chosen.flatMap(({ rows }, index) => rows.map(() => index));
  const round = (value: number): number => Math.round(value * 100) / 100;
  return {
    ofUnseen: context.dataset.unseen.length > 0,
    classes: describe(context, chosen, classOf, real, synthetic),
    points: Array.from({ length: 2 * real.rows }, (_, i) => [
      round(points[2 * i]),
      round(points[2 * i + 1]),
      classOf[i % real.rows],
      i < real.rows ? 1 : 0,
    ]),
    perplexity,
    divergence,
  };
}

interface ShownClass {
  readonly label: number;
  readonly rows: number[]; // of the dataset
}

/** From the worst class to the best in even steps, so that both can be looked at. */
function chooseClasses({ dataset, testRows, evaluation }: EmbeddedModel): ShownClass[] {
  const side = new Set(dataset.unseen.length > 0 ? dataset.unseen : dataset.seen);
  const rowsOf = new Map<number, number[]>();
  for (const row of testRows) {
    const label = dataset.labels[row];
    if (side.has(label)) rowsOf.set(label, [...(rowsOf.get(label) ?? []), row]);
  }
  const accuracyOf = new Map(evaluation.perClass.map(({ name, accuracy }) => [name, accuracy]));
  const accuracy = (label: number): number => accuracyOf.get(dataset.classNames[label])!;
  const sorted = [...rowsOf.keys()].sort((a, b) => accuracy(a) - accuracy(b) || a - b);
  const count = Math.min(maxClasses, sorted.length);
  return Array.from({ length: count }, (_, i) => {
    const label = sorted[count === 1 ? 0 : Math.round((i * (sorted.length - 1)) / (count - 1))];
    return { label, rows: rowsOf.get(label)! };
  });
}

async function realRows({ mapper, dataset }: EmbeddedModel, rows: readonly number[]): Promise<Matrix> {
  return directRows(await mapper.map(dataset.features, rows), 1);
}

async function syntheticRows(
  { generator, attributes, dataset, configuration }: EmbeddedModel,
  realTraining: RowSource,
  chosen: readonly ShownClass[],
  random: Random,
): Promise<Matrix> {
  const parts: Matrix[] = [];
  for (const { label, rows } of chosen)
    parts.push(await generator.draw(attributes, [label], rows.length, random));
  const drawn = directRows(stackRows(parts), 1);
  const { residual } = configuration.head;
  if (residual === 0) return drawn;
  const labels = dataset.splits.train.map((row) => dataset.labels[row]);
  addResiduals(
    drawn,
    donorsOf(labels, (row) => directionOf(realTraining, row)),
    residual,
    random,
  );
  return directRows(drawn, 1);
}

function describe(
  { dataset, evaluation }: EmbeddedModel,
  chosen: readonly ShownClass[],
  classOf: readonly number[],
  real: Matrix,
  synthetic: Matrix,
): EmbeddedClass[] {
  const realMeans = means(real, classOf, chosen.length);
  const syntheticMeans = means(synthetic, classOf, chosen.length);
  return chosen.map(({ label, rows }, i) => {
    const name = dataset.classNames[label];
    const likeness = chosen.map((_, j) => dotProduct(rowOf(realMeans, i), rowOf(syntheticMeans, j)));
    const rivals = chosen.map((_, j) => j).filter((j) => j !== i);
    const rival = rivals.sort((a, b) => likeness[b] - likeness[a]).at(0);
    return {
      name,
      rows: rows.length,
      accuracy: evaluation.perClass.find((facts) => facts.name === name)!.accuracy,
      likeness: likeness[i],
      rival:
        rival === undefined
          ? null
          : { name: dataset.classNames[chosen[rival].label], likeness: likeness[rival] },
    };
  });
}

/** Mean rows of each class, of unit length. */
function means(rows: Matrix, classOf: readonly number[], classes: number): Matrix {
  const sums = matrix(classes, rows.columns);
  classOf.forEach((index, i) => {
    const [to, from] = [rowOf(sums, index), rowOf(rows, i)];
    for (let k = 0; k < to.length; k++) to[k] += from[k];
  });
  return directRows(sums, 1);
}
