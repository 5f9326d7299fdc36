/**
 * The transductive setting with rows of split `none`: of whatever classes they are, seen, unseen or none of these, and how many of each, is not
 * known. The trained model is adapted to them exactly as `unseen adapt` adapts a bundle, guard included; labels are not read.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBundle } from '../../core/bundle/read.js';
import { percent } from '../../core/percent.js';
import { adaptBundle, describedAdaptation } from '../adaptation/adapt-bundle.js';
import { poolOfDataset } from '../adaptation/unlabelled-pool.js';
import type { Engine } from '../engine/contract.js';
import type { TrainedModel } from '../model.js';
import { saveModel, type ModelToSave } from '../saving/save.js';

interface AdaptedModel {
  readonly model: TrainedModel;
  readonly adaptation: NonNullable<ModelToSave['adaptation']>;
  /** For people: what was found, and what speaks against it. */
  readonly notes: readonly string[];
}

export async function adaptToUnlabelled(
  trained: Omit<ModelToSave, 'metrics'>,
  engine: Engine,
): Promise<AdaptedModel> {
  const { model, dataset } = trained;
  const folder = await mkdtemp(join(tmpdir(), 'unseen-transductive-'));
  try {
    const path = join(folder, 'bundle');
    await saveModel(path, { ...trained, metrics: {} }, engine);
    const { features } = poolOfDataset(dataset);
    // A pool of another domain is no reason to lose a training: a warning says so.
    const options = { refusesForeign: false };
    const { bundle, adaptation } = await adaptBundle(await readBundle(path), features, options);
    const moved = adaptation.classes.filter(({ assigned }) => assigned !== null).length;
    return {
      model: { ...model, head: { ...model.head, weights: bundle.weights, bias: bundle.bias } },
      adaptation: describedAdaptation(adaptation),
      notes: [
        ...adaptation.warnings.map((warning) => `Warning: ${warning}`),
        `Learnt from ${features.rows} unlabelled rows: ${moved} of ${dataset.unseen.length} unseen classes moved. ` +
          `About ${percent(adaptation.unseenShare)} % of the rows are of unseen classes, ${percent(adaptation.none.share)} % of none of the classes.`,
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
