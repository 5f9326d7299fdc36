/** The benchmark of classes registered at runtime, at a size where it takes seconds. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silent } from '../../core/progress.js';
import { readBundle } from '../../core/bundle/read.js';
import { evaluateAtRuntime } from '../../cli/runtime-evaluation.js';
import { OnnxEngine } from '../../trainer/engine/onnx/engine.js';
import { evaluateBundle } from '../../trainer/evaluation/evaluate-bundle.js';
import { hideUnseen, train } from '../../trainer/train.js';
import { temporaryFolder } from '../support/folders.js';
import { smallBackbone } from '../../fixtures/small-backbone.js';
import { smallConfiguration } from '../../fixtures/small-configuration.js';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';

const folder = temporaryFolder();
const dataset = syntheticDataset({ seen: 30, unseen: 8, featureWidth: 12, rowsPerClass: 20 });

async function trained(name: string, isHidden: boolean) {
  const out = join(folder, name);
  await train({
    dataset: isHidden ? hideUnseen(dataset) : dataset,
    configuration: smallConfiguration({ generator: { epochs: 30 } }),
    seeds: [1],
    engine: new OnnxEngine({ threads: 1 }),
    out,
    resume: false,
    watcher: silent,
  });
  return { out, bundle: await readBundle(out) };
}

test('classes hidden in training and registered over HTTP do about as well as classes known in training', async () => {
  const known = await trained('known', false);
  const hidden = await trained('hidden', true);
  expect(hidden.bundle.manifest.classes.every(({ seen }) => seen)).toBe(true);
  const backbone = smallBackbone();
  const { evaluation, registered } = await evaluateAtRuntime(
    hidden.out,
    hidden.bundle,
    dataset,
    silent,
    backbone,
  );
  expect(registered).toBe(8);
  const before = await evaluateBundle(known.bundle, dataset);
  expect(evaluation.standard.top1).toBeGreaterThan(before.standard.top1! - 0.1);
  expect(evaluation.ausuc).toBeGreaterThan(before.ausuc! - 0.1);
  expect(evaluation.standard.top1).toBeGreaterThan(0.4); // chance is 1 in 8
});

test('a bundle that knows every class is rejected with a suggested fix', async () => {
  const { out, bundle } = await trained('knows-all', false);
  await expect(evaluateAtRuntime(out, bundle, dataset, silent, smallBackbone())).rejects.toThrow(
    /--hide-unseen/,
  );
});
