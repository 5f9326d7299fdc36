import { createHash } from 'node:crypto';
import { bytesOf } from '../../core/hash.js';
import { piecesOf } from '../../core/matrix.js';
import type { Dataset } from './dataset.js';

/** One hash over everything that training can see or be judged by: equal fingerprints, equal data, wherever it is. */
export function fingerprint(dataset: Dataset): string {
  const { splits, features } = dataset;
  const hash = createHash('sha256');
  hash.update(
    JSON.stringify([dataset.classNames, dataset.attributeNames, Array.from(dataset.validationClasses ?? [])]),
  );
  hash.update(bytesOf(dataset.attributes.data));
  for (const { data } of piecesOf(features)) hash.update(bytesOf(data));
  for (const values of [dataset.labels, splits.train, splits.testSeen, splits.testUnseen])
    hash.update(bytesOf(values));
  if (splits.fewShot) hash.update(bytesOf(splits.fewShot));
  return hash.digest('hex');
}
