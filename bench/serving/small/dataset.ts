import { matrix, rowOf, type Matrix } from '../../../core/matrix.js';
import { Random } from '../../../core/random.js';
import { assembleDataset } from '../../../trainer/datasets/class-sets.js';
import type { Dataset } from '../../../trainer/datasets/dataset.js';

export type InMemoryDataset = Dataset & { readonly features: Matrix };

export interface SyntheticSizes {
  readonly seed: number;
  readonly seen: number;
  readonly unseen: number;
  readonly attributes: number;
  readonly featureWidth: number;
  readonly rowsPerClass: number;
  /** Standard deviation around the class mean; class means differ by about 1 per feature. */
  readonly noise: number;
}

/**
 * Classes whose features follow from their attributes: x = relu(M (a - 1/2) + 1/2 + noise). Zero-shot learning works on
 * it, and features are non-negative as those of a CNN after its last ReLU. Every fifth row of a seen class is test-seen;
 * seen and unseen classes are mixed in class order, so that a test notices code which assumes that seen come first.
 */
export function syntheticDataset(sizes: Partial<SyntheticSizes> = {}): InMemoryDataset {
  const { seed = 1, seen = 12, unseen = 4, noise = 0.3 } = sizes;
  const { attributes: d = 10, featureWidth: width = 24, rowsPerClass = 10 } = sizes;
  const random = Random.stream(seed, 'synthetic-dataset');
  const classCount = seen + unseen;
  const attributes = matrix(classCount, d);
  for (let i = 0; i < attributes.data.length; i++) attributes.data[i] = random.uniform();
  const map = matrix(width, d);
  random.fillNormal(map.data, Math.sqrt(12 / d)); // uniform attributes have variance 1/12: class means then vary by 1
  const isUnseen = new Uint8Array(classCount);
  for (const label of random.shuffle(Int32Array.from({ length: classCount }, (_, i) => i)).slice(0, unseen))
    isUnseen[label] = 1;

  const rows = classCount * rowsPerClass;
  const features = matrix(rows, width);
  const labels = new Int32Array(rows);
  const imageFiles: string[] = [];
  const splits = { train: [] as number[], testSeen: [] as number[], testUnseen: [] as number[] };
  const classNames = Array.from({ length: classCount }, (_, i) => `class-${String(i + 1).padStart(3, '0')}`);
  for (let row = 0; row < rows; row++) {
    const label = row % classCount; // classes alternate, as in files that were shuffled
    const sample = Math.floor(row / classCount);
    labels[row] = label;
    imageFiles.push(`images/${classNames[label]}/${sample}.jpg`);
    const split = isUnseen[label] ? splits.testUnseen : sample % 5 === 4 ? splits.testSeen : splits.train;
    split.push(row);
    const described = rowOf(attributes, label);
    for (let j = 0; j < width; j++) {
      let value = 0.5 + noise * random.normal();
      for (let k = 0; k < d; k++) value += map.data[j * d + k] * (described[k] - 0.5);
      features.data[row * width + j] = Math.max(0, value);
    }
  }
  return assembleDataset({
    name: 'synthetic',
    classNames,
    attributeNames: Array.from({ length: d }, (_, i) => `attribute-${i + 1}`),
    attributes,
    features,
    labels,
    imageFiles,
    splits: {
      train: Int32Array.from(splits.train),
      testSeen: Int32Array.from(splits.testSeen),
      testUnseen: Int32Array.from(splits.testUnseen),
    },
    validationClasses: null,
    backbone: null,
  });
}
