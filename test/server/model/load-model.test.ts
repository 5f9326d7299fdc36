import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepBackbone } from '../../../core/backbone/backbone.js';
import { loadCatalogue } from '../../../core/backbone/catalogue.js';
import { silent } from '../../../core/progress.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { loadModel, type LoadedModel } from '../../../server/model/load-model.js';
import { temporaryFolder } from '../../support/folders.js';
import { silentLogger } from '../../support/silent-logger.js';

const weights = temporaryFolder();
process.env.UNSEEN_CACHE = weights;
const { entry, model } = smallBackbone();
await keepBackbone(loadCatalogue(), entry, model);
const { path } = await trainSmallBundle(temporaryFolder());
const settings = {
  backbone: 'small',
  backboneVariant: 'trained',
  threads: 1,
  workers: 1,
  provider: 'cpu',
} as const;

async function load(bundle: string): Promise<{ loaded: LoadedModel | null; told: string[] }> {
  const told: string[] = [];
  const loaded = await loadModel({ ...settings, bundle }, silent, silentLogger().logger, (expected) => {
    told.push(expected.entry.name);
  }).catch(() => null);
  return { loaded, told };
}

test('a loaded model says where its network is, and holds none of its bytes', async () => {
  const { loaded, told } = await load(path);
  expect(loaded!.backbone.model).toBe(join(weights, 'small', 'backbone.onnx'));
  expect(told).toEqual(['small']);
});

test('the network is named before files of the bundle are read, whatever they hold', async () => {
  const { path: damaged } = await trainSmallBundle(temporaryFolder(), 2);
  truncateSync(join(damaged, 'head-weights.f32'), 4);
  expect(await load(damaged)).toEqual({ loaded: null, told: ['small'] });
  writeFileSync(join(damaged, 'manifest.json'), '{}');
  expect(await load(damaged)).toEqual({ loaded: null, told: [] });
});
