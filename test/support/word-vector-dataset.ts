import { matrix } from '../../core/matrix.js';
import { Random } from '../../core/random.js';
import { assembleDataset } from '../../trainer/datasets/class-sets.js';
import {
  syntheticDataset,
  type InMemoryDataset,
  type SyntheticSizes,
} from '../../fixtures/synthetic-dataset.js';

/**
 * A dataset in the style of ImageNet with word vectors: 500 signed values for each class, of no fixed length, without a meaning of their
 * own. The classes differ in a few directions of that space, and what is left is noise, as in vectors learnt from text.
 */
export function wordVectorDataset(sizes: Partial<SyntheticSizes> = {}, width = 500): InMemoryDataset {
  const plain = syntheticDataset({ seen: 40, unseen: 12, rowsPerClass: 12, ...sizes });
  const { rows, columns, data } = plain.attributes;
  const random = Random.stream(sizes.seed ?? 1, 'word-vectors');
  const directions = random.fillNormal(new Float32Array(columns * width));
  const attributes = matrix(rows, width);
  for (let c = 0; c < rows; c++) {
    const length = 0.5 + 2 * random.uniform();
    for (let k = 0; k < width; k++) {
      let value = 0.1 * random.normal();
      for (let j = 0; j < columns; j++) value += (data[c * columns + j] - 0.5) * directions[j * width + k];
      attributes.data[c * width + k] = 0.1 * length * value;
    }
  }
  const attributeNames = Array.from({ length: width }, (_, k) => `dimension-${k + 1}`);
  return assembleDataset({ ...plain, name: 'words', attributes, attributeNames });
}
