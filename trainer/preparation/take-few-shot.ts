import { Failure } from '../../core/failures.js';
import type { Manifest } from '../../core/bundle/manifest.js';
import { paperTransductive, type Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import { classesWithFewRows, fewShotClasses, withFewShot } from '../datasets/few-shot.js';
import { someOf } from '../datasets/findings.js';

/** The dataset as it is trained on: classes with few training rows become few-shot classes, as the configuration says. */
export function takeFewShot(
  dataset: Dataset,
  { fewShot, transductive }: Pick<Configuration, 'fewShot' | 'transductive'>,
): Dataset {
  if (!paperTransductive({ transductive }))
    return withFewShot(dataset, classesWithFewRows(dataset, fewShot.maxRows));
  const fewShotLabels = fewShotClasses(dataset);
  if (fewShotLabels.length > 0)
    throw new Failure(
      'config-invalid',
      `${dataset.name} has few-shot classes (${someOf(Array.from(fewShotLabels, (label) => dataset.classNames[label]))}), which the transductive setting with test rows does not take. ` +
        'Give their rows the split "train", or leave "transductive" out of the configuration.',
    );
  return dataset; // every class with rows stays a seen one
}

/** The dataset as the bundle was trained on it: its few-shot classes are few-shot classes here. */
export function asTrained({ classes }: Pick<Manifest, 'classes'>, dataset: Dataset): Dataset {
  const few = new Set(classes.flatMap(({ name, fewShot }) => (fewShot ? [name] : [])));
  const labels = Array.from(dataset.classNames.keys()).filter((label) => few.has(dataset.classNames[label]));
  return withFewShot(dataset, Int32Array.from(labels));
}
