import { trainSmallBundle, smallFeatureWidth } from '../../../fixtures/small-bundle.js';
import { syntheticDataset } from '../../../fixtures/synthetic-dataset.js';
import { rowOf } from '../../../core/matrix.js';
import { poolPicture } from '../../../server/adaptation/pool-row.js';
import type { PoolPicture } from '../../../server/adaptation/contract.js';

/** The dataset of the small bundle, with more rows than it was trained on. */
const dataset = syntheticDataset({ featureWidth: smallFeatureWidth, rowsPerClass: 60 });

export const trainSmall = trainSmallBundle;

/** Features of pictures of unseen classes, and of a third of the seen ones; labels are not used. */
export function unlabelled(): PoolPicture[] {
  const { testUnseen, testSeen } = dataset.splits;
  return [...testUnseen, ...testSeen].map((row) =>
    poolPicture(rowOf(dataset.features, row).slice(), 'class-001'),
  );
}
