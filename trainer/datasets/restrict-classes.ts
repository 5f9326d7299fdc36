import { takeRows } from '../../core/matrix.js';
import { assembleDataset } from './class-sets.js';
import type { Dataset, DatasetSplits } from './dataset.js';
import { fewShotRows } from './few-shot.js';

/**
 * The same rows with only some of the classes: names, attributes and labels are of those classes alone, renumbered in the
 * order given. The features are shared with the original, not copied. A row outside the
 * splits given loses its label (-1), so that code that reads rows outside the splits cannot learn from their labels.
 */
export function restrictClasses(
  dataset: Dataset,
  classes: Int32Array,
  splits: DatasetSplits,
  name = dataset.name,
): Dataset {
  const newIndex = new Int32Array(dataset.classNames.length).fill(-1);
  classes.forEach((label, index) => (newIndex[label] = index));
  const labels = new Int32Array(dataset.labels.length).fill(-1);
  for (const rows of [splits.train, splits.testSeen, splits.testUnseen, fewShotRows({ splits })]) {
    for (const row of rows) {
      labels[row] = newIndex[dataset.labels[row]];
      if (labels[row] < 0)
        throw new RangeError(`row ${row} is of a class that the restricted dataset leaves out`);
    }
  }
  return assembleDataset({
    name,
    classNames: Array.from(classes, (label) => dataset.classNames[label]),
    attributeNames: dataset.attributeNames,
    attributes: takeRows(dataset.attributes, classes),
    ...(dataset.attributeNotes && { attributeNotes: dataset.attributeNotes }),
    features: dataset.features,
    labels,
    imageFiles: dataset.imageFiles,
    ...(dataset.imageFolder && { imageFolder: dataset.imageFolder }),
    splits,
    validationClasses: null,
    backbone: dataset.backbone,
  });
}
