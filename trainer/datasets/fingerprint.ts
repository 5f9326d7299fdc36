import { bytesOf, sha256Of } from '../../core/hash.js';
import type { Dataset } from './dataset.js';

/** One hash over everything that training can see or be judged by: equal fingerprints, equal data. */
export function fingerprint(dataset: Dataset): string {
  const { splits } = dataset;
  return sha256Of(
    JSON.stringify([dataset.classNames, dataset.attributeNames, Array.from(dataset.validationClasses ?? [])]),
    bytesOf(dataset.attributes.data),
    bytesOf(dataset.features.data),
    bytesOf(dataset.labels),
    ...[splits.train, splits.testSeen, splits.testUnseen].map(bytesOf),
  );
}
