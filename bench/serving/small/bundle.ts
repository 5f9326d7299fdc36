import { join } from 'node:path';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { readBundle } from '../../../core/bundle/read.js';
import { silent } from '../../../core/progress.js';
import { OnnxEngine } from '../../../trainer/engine/onnx/engine.js';
import { train } from '../../../trainer/train.js';
import { smallConfiguration } from './configuration.js';
import { syntheticDataset } from './dataset.js';

/** What `smallBackbone()` gives for a picture. */
export const smallFeatureWidth = 12;

/** A bundle in `folder`, trained in a second or two on features of the width that `smallBackbone` gives. */
export async function trainSmallBundle(folder: string, seed = 1): Promise<{ path: string; bundle: Bundle }> {
  const path = join(folder, `small-bundle-${seed}`);
  const engine = new OnnxEngine({ threads: 1 });
  await train({
    dataset: syntheticDataset({ featureWidth: smallFeatureWidth }),
    configuration: smallConfiguration({ generator: { epochs: 20 } }),
    seeds: [seed],
    engine,
    out: path,
    resume: false,
    watcher: silent,
  });
  return { path, bundle: await readBundle(path) };
}
