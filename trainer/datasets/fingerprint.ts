import { createHash } from 'node:crypto';
import { bytesOf } from '../../core/hash.js';
import { rowsBetween } from '../../core/matrix.js';
import type { Dataset } from './dataset.js';

const rowsAtOnce = 1024;

/** One hash over everything that training can see or be judged by: equal fingerprints, equal data, wherever it is. */
export function fingerprint(dataset: Dataset): string {
  const { splits, features } = dataset;
  const hash = createHash('sha256');
  hash.update(
    JSON.stringify([dataset.classNames, dataset.attributeNames, Array.from(dataset.validationClasses ?? [])]),
  );
  hash.update(bytesOf(dataset.attributes.data));
  for (let start = 0; start < features.rows; start += rowsAtOnce)
    hash.update(bytesOf(rowsBetween(features, start, start + rowsAtOnce).data));
  for (const values of [dataset.labels, splits.train, splits.testSeen, splits.testUnseen])
    hash.update(bytesOf(values));
  return hash.digest('hex');
}
