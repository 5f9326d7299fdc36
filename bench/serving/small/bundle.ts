import { join } from 'node:path';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { readBundle } from '../../../core/bundle/read.js';
import { silent } from '../../../core/progress.js';
import type { Dataset } from '../../../trainer/datasets/dataset.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { train } from '../../../trainer/train.js';
import { smallConfiguration } from './configuration.js';
import { syntheticDataset } from './dataset.js';

/** What `smallBackbone()` gives for a picture. */
export const smallFeatureWidth = 12;

/** A bundle in `folder`, trained in a second or two; its features have the width that `smallBackbone` gives. */
export async function trainSmallBundle(
  folder: string,
  seed = 1,
  dataset: Dataset = syntheticDataset({ featureWidth: smallFeatureWidth }),
): Promise<{ path: string; bundle: Bundle }> {
  const path = join(folder, `small-bundle-${seed}`);
  const engine = new OnnxEngine({ threads: 1 });
  await train({
    dataset,
    configuration: smallConfiguration({ generator: { epochs: 20 } }),
    seeds: [seed],
    engine,
    out: path,
    resume: false,
    watcher: silent,
  });
  return { path, bundle: await readBundle(path) };
}
