import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  backboneOf,
  keepBackbone,
  openBackbone,
  type Backbone,
  type BackboneInMemory,
} from '../../../core/backbone/backbone.js';
import { loadCatalogue, type BackboneEntry } from '../../../core/backbone/catalogue.js';
import { checkOnThisMachine } from '../../../core/backbone/quantisation/check/machine-check.js';
import { halfPrecision } from '../../../core/backbone/quantisation/half-backbone.js';
import { Quantiser } from '../../../core/backbone/quantisation/quantise.js';
import type { Ranges } from '../../../core/backbone/quantisation/ranges.js';
import { sha256Of } from '../../../core/hash.js';
import { silent } from '../../../core/progress.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import { chooseBackbone, type BackboneSettings } from '../../../server/model/choose-backbone.js';
import { halfWherePays } from '../../../server/model/checked-precision.js';
import { temporaryFolder } from '../../support/folders.js';
import { silentLogger } from '../../support/silent-logger.js';
import { postPicture, send, startTestServer } from '../../support/test-server.js';

const folder = temporaryFolder();
process.env.UNSEEN_CACHE = folder;
const float = smallBackbone();
const quantiser = Quantiser.of(float.model);

/** All points with one range: wide enough for the small network, or so narrow that nearly nothing is left of it. */
function int8Of(name: string, reach: number): BackboneInMemory {
  const ranges: Ranges = Object.fromEntries(quantiser.points.map((point) => [point, [-reach, reach]]));
  const model = quantiser.write(ranges);
  const source = { kind: 'quantised', from: 'small', sha256: sha256Of(float.model), ranges: null } as const;
  const entry: BackboneEntry = { ...float.entry, name, source, sha256: sha256Of(model) };
  return backboneOf(entry, model);
}
const [good, bad] = [int8Of('small-int8', 2), int8Of('z-bad', 0.002)];
for (const { entry, model } of [float, good, bad]) await keepBackbone(loadCatalogue(), entry, model);
const checks = join(folder, 'small-int8', 'machine-checks.json');

async function chosen(
  trained: Backbone | null,
  settings: Partial<BackboneSettings> = {},
): Promise<{ name: string; precision: string; lines: string[] }> {
  const { logger, lines } = silentLogger();
  const all = { backboneVariant: 'trained', threads: 1, workers: 1, provider: 'cpu', ...settings } as const;
  const bundle = { path: 'the-bundle', backbone: trained?.identity ?? null };
  const backbone = await chooseBackbone({ backbone: undefined, ...all }, bundle, silent, logger);
  return { name: backbone.entry.name, precision: backbone.precision, lines };
}

/** A real check, whose outcome is then set: how fast a tiny network is, nobody can promise. */
async function withSpeedUp(speedUp: number): Promise<void> {
  const [one, other] = [await openBackbone('small', silent), await openBackbone('small-int8', silent)];
  await checkOnThisMachine(other, () => Promise.resolve(one), { threads: 1, provider: 'cpu' });
  const known = JSON.parse(readFileSync(checks, 'utf8')) as Record<string, object>;
  const changed = Object.entries(known).map(([key, outcome]) => [key, { ...outcome, speedUp }]);
  writeFileSync(checks, JSON.stringify(Object.fromEntries(changed)));
}

beforeEach(() => {
  rmSync(checks, { force: true });
});

describe('the network that serves a bundle', () => {
  test('is the float one that it was trained with, and nothing is measured', async () => {
    expect((await chosen(float)).name).toBe('small');
    expect(existsSync(checks)).toBe(false);
  });

  test('is the int8 one that it was trained with, where that is faster', async () => {
    await withSpeedUp(3);
    const { name, lines } = await chosen(good);
    expect(name).toBe('small-int8');
    expect(lines.join()).toContain('is worth it on this machine');
  });

  test('is the float one where int8 is hardly faster, with a warning', async () => {
    await withSpeedUp(1.29);
    const { name, lines } = await chosen(good);
    expect(name).toBe('small');
    expect(lines.join()).toContain('it is only 1.29 times as fast as float here');
  });

  test('is the float one where the features of int8 are far off', async () => {
    const { name, lines } = await chosen(bad);
    expect(name).toBe('small');
    expect(lines.join()).toMatch(/its features have a cosine of only -?\d/);
  });

  test('is int8 all the same where that was told', async () => {
    expect((await chosen(bad, { backboneVariant: 'int8' })).name).toBe('z-bad');
  });

  test('is that of the other precision only where it is asked for', async () => {
    await withSpeedUp(3);
    expect((await chosen(float, { backboneVariant: 'int8' })).name).toBe('small-int8');
    expect((await chosen(float, { backboneVariant: 'auto' })).name).toBe('small-int8');
    expect((await chosen(good, { backboneVariant: 'fp32' })).name).toBe('small');
    await expect(chosen(float, { backbone: 'small-int8' })).rejects.toThrow(
      /was trained with small, and small-int8 is the same network in another precision.*--backbone-variant int8/,
    );
    await expect(chosen(good, { backbone: 'small' })).rejects.toThrow(/--backbone-variant fp32/);
  });

  test('auto stays with float where int8 is hardly faster', async () => {
    await withSpeedUp(1);
    expect((await chosen(float, { backboneVariant: 'auto' })).name).toBe('small');
  });

  test('is int8, unchecked, where the float one is not here', async () => {
    const orphan = int8Of('orphan', 2);
    const source = { kind: 'quantised', from: 'small', sha256: '0'.repeat(64), ranges: null } as const;
    await keepBackbone(loadCatalogue(), { ...orphan.entry, source }, orphan.model);
    const { name, lines } = await chosen(orphan);
    expect(name).toBe('orphan');
    expect(lines.join()).toContain('is not checked: the float one that it was made of is not here');
  });

  test('is never another network', async () => {
    const other = smallBackbone({ features: 8 });
    await expect(chosen(other)).rejects.toThrow(
      /is not the one that the bundle at the-bundle was trained with/,
    );
    await expect(chosen(other, { backboneVariant: 'int8' })).rejects.toThrow(
      /Predictions would mean nothing/,
    );
  });

  test('has to be named for ready-made features', async () => {
    await expect(chosen(null)).rejects.toThrow(/names no backbone/);
    expect((await chosen(null, { backbone: 'small-int8', backboneVariant: 'int8' })).name).toBe('small-int8');
  });
});

describe('half precision', () => {
  const onGpu = { provider: 'cuda', threads: 1 } as const; // which tests have none of

  test('runs where it was told', async () => {
    const { name, precision } = await chosen(float, { backboneVariant: 'fp16' });
    expect([name, precision]).toEqual(['small', 'fp16']);
    expect((await chosen(good, { backboneVariant: 'fp16' })).precision).toBe('fp16');
  });

  test('is not tried on a CPU, nor where fp32 is told', async () => {
    expect(await chosen(float)).toMatchObject({ precision: 'fp32', lines: [] });
    expect(await chosen(float, { ...onGpu, backboneVariant: 'fp32' })).toMatchObject({
      precision: 'fp32',
      lines: [],
    });
  });

  test.each(['trained', 'auto'] as const)(
    '%s: a GPU that is not there leaves the network in float32, and nothing is kept',
    async (backboneVariant) => {
      const { name, precision, lines } = await chosen(float, { ...onGpu, backboneVariant });
      expect([name, precision]).toEqual(['small', 'fp32']);
      expect(lines.join()).toContain(
        'Serving small in float32, not in half precision: there is no cuda here',
      );
      expect(existsSync(join(folder, 'small', 'machine-checks.json'))).toBe(false);
    },
  );

  test('is served where it was found worth it, and not where it was not', async () => {
    const backbone = await openBackbone('small', silent);
    const settings = { provider: 'cpu', threads: 1, workers: 1 } as const;
    const kept = join(folder, 'small', 'machine-checks.json');
    const { logger, lines } = silentLogger();
    await halfWherePays(backbone, settings, logger);
    const serveAt = (outcome: object): Promise<Backbone> => {
      const known = JSON.parse(readFileSync(kept, 'utf8')) as Record<string, object>;
      const changed = Object.entries(known).map(([key, measured]) => [key, { ...measured, ...outcome }]);
      writeFileSync(kept, JSON.stringify(Object.fromEntries(changed)));
      return halfWherePays(backbone, settings, logger);
    };
    expect((await serveAt({ speedUp: 2 })).precision).toBe('fp16');
    expect(lines.at(-1)).toContain('Serving small in half precision');
    expect((await serveAt({ speedUp: 1.2 })).precision).toBe('fp32');
    expect((await serveAt({ speedUp: 2, cosine: { mean: 1, least: 0.998 } })).precision).toBe('fp32');
    expect(lines.at(-1)).toContain('a cosine of only 0.998 to those of float here (at least 0.999)');
  });

  test('a server shows it', async () => {
    const { bundle } = await trainSmallBundle(temporaryFolder());
    const { url } = await startTestServer({ bundle: () => bundle, backbone: () => halfPrecision(float) });
    expect((await send(`${url}/v2/models/unseen`)).body).toMatchObject({
      parameters: { backbone: 'small', precision: 'fp16' },
    });
    expect((await postPicture(url)).status).toBe(200);
  });
});

describe('the check on a machine', () => {
  test('is made once: its outcome is kept beside the network', async () => {
    const [one, other] = [await openBackbone('small', silent), await openBackbone('small-int8', silent)];
    const options = { threads: 1, provider: 'cpu' } as const;
    const first = await checkOnThisMachine(other, () => Promise.resolve(one), options);
    const second = await checkOnThisMachine(other, () => Promise.resolve(one), options);
    expect(first).toMatchObject({ isCached: false });
    expect(second).toEqual({ ...first, isCached: true });
    expect(first.cosine.least).toBeGreaterThan(0.97);
    expect(
      (await checkOnThisMachine(other, () => Promise.resolve(one), { ...options, threads: 2 })).isCached,
    ).toBe(false);
    expect(
      (await checkOnThisMachine(other, () => Promise.resolve(one), { ...options, anew: true })).isCached,
    ).toBe(false);
  });

  test('of a network with itself finds no difference', async () => {
    const same = await checkOnThisMachine(float, () => Promise.resolve(float), {
      threads: 1,
      provider: 'cpu',
    });
    expect(same.cosine.least).toBeCloseTo(1, 6);
  });
});

test('which network runs is in the metrics and in /v2/models', async () => {
  const { bundle } = await trainSmallBundle(temporaryFolder());
  const { url } = await startTestServer({ bundle: () => bundle, backbone: () => good });
  expect((await send(`${url}/metrics`)).body).toMatch(
    /unseen_model_info\{.*backbone="small-int8",precision="int8"\} 1/,
  );
  const { body } = await send(`${url}/v2/models/unseen`);
  expect(body).toMatchObject({
    parameters: { backbone: 'small-int8', precision: 'int8', backbone_sha256: good.identity.sha256 },
  });
});
