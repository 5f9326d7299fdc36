/** The cases of `bench -- small-data`: how many classes, rows and attributes are left of a large dataset. */
import { matrix, takeRows } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import type { Dataset } from '../../trainer/datasets/dataset.js';
import { restrictClasses } from '../../trainer/datasets/restrict-classes.js';

interface SmallCase {
  readonly name: string;
  readonly description: string;
  readonly seen: number;
  readonly unseen: number;
  readonly rowsPerClass: number; // training rows
  readonly attributes?: number; // all of them without it
  /** The share of attributes that are given the same value for every class. */
  readonly constant?: number;
  /** One seen class keeps a single training row. */
  readonly singleRow?: boolean;
}

const usual = { seen: 12, unseen: 10, rowsPerClass: 20 };

export const smallCases: readonly SmallCase[] = [
  { ...usual, name: '8x10', description: '8 seen classes of 10 rows', seen: 8, rowsPerClass: 10 },
  { ...usual, name: '8x40', description: '8 seen classes of 40 rows', seen: 8, rowsPerClass: 40 },
  { ...usual, name: '12x20', description: '12 seen classes of 20 rows' },
  { ...usual, name: '20x10', description: '20 seen classes of 10 rows', seen: 20, rowsPerClass: 10 },
  { ...usual, name: '20x40', description: '20 seen classes of 40 rows', seen: 20, rowsPerClass: 40 },
  { ...usual, name: '15-attributes', description: '15 attributes', attributes: 15 },
  { ...usual, name: '60-attributes', description: '60 attributes', attributes: 60 },
  { ...usual, name: 'half-constant', description: 'half of the attributes are constant', constant: 0.5 },
  { ...usual, name: 'single-row', description: 'one seen class has a single row', singleRow: true },
  { ...usual, name: 'few-unseen', description: '3 unseen classes', unseen: 3 },
  { ...usual, name: 'many-unseen', description: '40 unseen classes', unseen: 40 },
];

/** The rows, classes and attributes of one draw; every test row of the classes drawn is kept. */
export function drawCase(dataset: Dataset, one: SmallCase, draw: number): Dataset {
  const random = Random.stream(draw, `small-data ${one.name}`);
  const seen = random.shuffle(dataset.seen.slice()).subarray(0, one.seen);
  const unseen = random.shuffle(dataset.unseen.slice()).subarray(0, one.unseen);
  const kept = new Map<number, number>();
  const train = random.shuffle(dataset.splits.train.slice()).filter((row) => {
    const label = dataset.labels[row];
    const count = (kept.get(label) ?? 0) + 1;
    kept.set(label, count);
    return seen.includes(label) && count <= (one.singleRow && label === seen[0] ? 1 : one.rowsPerClass);
  });
  const of = (classes: Int32Array, rows: Int32Array): Int32Array =>
    rows.filter((row) => classes.includes(dataset.labels[row]));
  const small = restrictClasses(
    dataset,
    Int32Array.from([...seen, ...unseen]).sort(),
    {
      train: train.sort(),
      testSeen: of(seen, dataset.splits.testSeen),
      testUnseen: of(unseen, dataset.splits.testUnseen),
    },
    `${dataset.name}, ${one.name}, draw ${draw}`,
  );
  return withAttributes(onlyOwnRows(small), one, random);
}

/** Features of the rows drawn alone, as a user's small dataset has them: the others would be hashed and mapped in vain. */
function onlyOwnRows(dataset: Dataset): Dataset {
  const { train, testSeen, testUnseen } = dataset.splits;
  const rows = Int32Array.from([...train, ...testSeen, ...testUnseen]);
  const range = (start: number, count: number): Int32Array =>
    Int32Array.from({ length: count }, (_, i) => start + i);
  return {
    ...dataset,
    features: takeRows(dataset.features, rows),
    labels: rows.map((row) => dataset.labels[row]),
    imageFiles: null,
    splits: {
      train: range(0, train.length),
      testSeen: range(train.length, testSeen.length),
      testUnseen: range(train.length + testSeen.length, testUnseen.length),
    },
  };
}

function withAttributes(
  dataset: Dataset,
  { attributes: count, constant = 0 }: SmallCase,
  random: Random,
): Dataset {
  const { attributes, attributeNames } = dataset;
  const all = Int32Array.from(attributeNames.keys());
  const columns = random.shuffle(all).slice(0, count).sort();
  const isConstant = new Set(
    random.shuffle(columns.slice()).subarray(0, Math.round(constant * columns.length)),
  );
  const chosen = matrix(attributes.rows, columns.length);
  for (let c = 0; c < chosen.rows; c++)
    columns.forEach((column, k) => {
      const label = isConstant.has(column) ? 0 : c;
      chosen.data[c * chosen.columns + k] = attributes.data[label * attributes.columns + column];
    });
  return {
    ...dataset,
    attributes: chosen,
    attributeNames: Array.from(columns, (column) => attributeNames[column]),
  };
}
