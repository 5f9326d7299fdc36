import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BundleContent } from '../../../core/bundle/bundle.js';
import { readBundle } from '../../../core/bundle/read.js';
import { writeBundle } from '../../../core/bundle/write.js';
import { sha256Of } from '../../../core/hash.js';
import { matrix } from '../../../core/matrix.js';
import { temporaryFolder } from '../../support/folders.js';

const folder = temporaryFolder();
const content: BundleContent = {
  featureMap: Uint8Array.of(1),
  generator: Uint8Array.of(2, 3),
  predictor: Uint8Array.of(4),
  weights: matrix(2, 3, Float32Array.of(1, 2, 3, 4, 5, 6)),
  bias: Float32Array.of(0.5, -0.5),
  deviations: matrix(1, 3, Float32Array.of(0.5, -0.25, 1)),
  novelty: matrix(
    4,
    3,
    Float32Array.from({ length: 12 }, (_, i) => i / 4),
  ),
  examples: new Map([[1, matrix(2, 3, Float32Array.of(1, 0, 0.5, 0, 2, -1))]]),
  replay: { features: matrix(2, 3, Float32Array.of(0, 0.25, 1, 2, 4, 8)), labels: Int32Array.of(0, 0) },
  description: {
    method: 'ot-zsl',
    seed: 1,
    configuration: { generator: { hidden: 4 } },
    dataset: { name: 'tiny', fingerprint: sha256Of('tiny') },
    backbone: null,
    attributes: [{ name: 'size', minimum: 0, maximum: 1 }],
    classes: [
      { name: 'ant', seen: true, attributes: [0.1] },
      { name: 'whale', seen: false, fewShot: 2, attributes: [0.9] },
    ],
    attributeEncoding: { kind: 'standardised', mean: [0.5], deviation: [0.2], clip: 3 },
    featureMap: { kind: 'minmax', width: 3, mappedWidth: 3, power: 1, shrinkage: 0 },
    head: {
      unseenBias: 0.1,
      unseenBiasRange: [-1, 1],
      regularisation: 0.1,
      samplesPerClass: 10,
      noiseWidth: 2,
      temperature: 5,
      syntheticWeight: 2,
      syntheticSeen: false,
      residual: 1,
      prior: 'prototypes',
      realPrior: 0.5,
      intercepts: false,
      unseenBiasSlope: -0.2,
      unseenBiasClasses: 2,
      evidence: { classSpread: 0.1, pictureSpread: 1.6, isotropicShare: 0.9, halfBiasPictures: 10 },
      assignment: { epsilon: 0.03, offset: 0.001, mistakes: 1.4, strength: 1 },
    },
    confidence: {
      sharpness: 3.5,
      unseenSharpness: 4.5,
      calibrationError: { all: 0.02, seen: 0.04, unseen: 0.05 },
      novelty: {
        withinShares: [0.5, 1],
        weights: {
          entropy: 0.5,
          score: 0.25,
          ratios: [0.125, 0.5],
          unseenShare: 0.5,
          rowLength: -0.25,
          residual: 2,
        },
        within: [0.1],
        between: [0.2],
        deviation: [0.05],
        meanLength: 0.5,
        rowsPerClass: 40,
        far: { edge: 1, scale: 0.5, weight: 20 },
        knownScores: [-1, 0, 1],
      },
      recognition: {
        constant: 0.1,
        promise: 0.5,
        nearness: 0.25,
        crowding: -0.125,
        attributeScale: [0.5, 0.25],
        alike: { classes: ['a'], coefficients: [0.125] },
        error: 0.1,
        classes: 12,
      },
    },
    metrics: {},
  },
};
const good = join(folder, 'good');
await writeBundle(good, content);

/** A fresh copy of the good bundle, for spoiling. */
function copy(name: string): string {
  const path = join(folder, name);
  rmSync(path, { recursive: true, force: true });
  cpSync(good, path, { recursive: true });
  return path;
}

describe('a bundle', () => {
  test('comes back as it was written', async () => {
    const bundle = await readBundle(good);
    expect(bundle.weights).toEqual(content.weights);
    expect(bundle.bias).toEqual(content.bias);
    expect(bundle.novelty).toEqual(content.novelty);
    expect(bundle.manifest.confidence).toEqual(content.description.confidence);
    expect(bundle.replay).toEqual(content.replay);
    expect(Array.from(bundle.generator)).toEqual([2, 3]);
    expect(bundle.manifest.classes).toEqual(content.description.classes);
  });

  test('written twice is the same, byte for byte', async () => {
    const again = join(folder, 'again');
    await writeBundle(again, content);
    for (const name of readdirSync(good)) {
      expect(readFileSync(join(again, name)).equals(readFileSync(join(good, name)))).toBe(true);
    }
    expect((await readBundle(again)).identity).toBe((await readBundle(good)).identity);
  });

  test('is not written over', async () => {
    await expect(writeBundle(good, content)).rejects.toMatchObject({ code: 'output-exists' });
  });

  test('that its check refuses is not published, and leaves nothing behind', async () => {
    const parent = join(folder, 'refused');
    mkdirSync(parent);
    const verify = (): Promise<void> => Promise.reject(new Error('no'));
    await expect(writeBundle(join(parent, 'bundle'), content, { verify })).rejects.toThrow('no');
    expect(readdirSync(parent)).toEqual([]);
  });
});

describe('a damaged bundle is told from a good one', () => {
  const files = readdirSync(good);

  test.each(files)('%s truncated by a byte', async (name) => {
    const path = copy('truncated');
    const file = join(path, name);
    truncateSync(file, readFileSync(file).length - (name === 'manifest.sha256' ? 5 : 1));
    await expect(readBundle(path)).rejects.toMatchObject({ code: 'bundle-invalid' });
  });

  test.each(files)('%s with one bit changed', async (name) => {
    const path = copy('flipped');
    const bytes = readFileSync(join(path, name));
    bytes[Math.floor(bytes.length / 2)] ^= 1;
    writeFileSync(join(path, name), bytes);
    await expect(readBundle(path)).rejects.toMatchObject({ code: 'bundle-invalid' });
  });

  test.each(files.filter((name) => name !== 'manifest.json'))('%s missing', async (name) => {
    const path = copy('missing');
    rmSync(join(path, name));
    await expect(readBundle(path)).rejects.toMatchObject({ code: 'bundle-invalid' });
  });

  test('one that is not there', async () => {
    await expect(readBundle(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'bundle-not-found' });
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });
});
