import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, describe, expect, test } from 'vitest';
import { backboneOf, type Backbone } from '../../../core/backbone/backbone.js';
import type { BackboneEntry } from '../../../core/backbone/catalogue.js';
import { builtInPictures } from '../../../core/backbone/quantisation/check/built-in-pictures.js';
import {
  compareFingerprints,
  fingerprintToBytes,
} from '../../../core/backbone/quantisation/check/fingerprint.js';
import { Quantiser } from '../../../core/backbone/quantisation/quantise.js';
import { sha256Of } from '../../../core/hash.js';
import { Random } from '../../../core/random.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import { trainSmallBundle } from '../../../fixtures/small-bundle.js';
import { openStore } from '../../../server/classes/store/open.js';
import { ReplicaComparison } from '../../../server/model/replica-comparison.js';
import { createMetrics } from '../../../server/observability/metrics.js';
import { temporaryFolder } from '../../support/folders.js';
import { silentLogger } from '../../support/silent-logger.js';
import { postgresForThisFile } from '../../support/postgres.js';
import { send, startTestServer, type TestServer } from '../../support/test-server.js';

const folder = temporaryFolder();
const { bundle } = await trainSmallBundle(folder);
const postgres = postgresForThisFile();

function int8Backbone(): Backbone {
  const float = smallBackbone();
  const quantiser = Quantiser.of(float.model);
  const model = quantiser.write(Object.fromEntries(quantiser.points.map((point) => [point, [-2, 2]])));
  const source = { kind: 'quantised', from: 'small', sha256: sha256Of(float.model), ranges: null } as const;
  const entry: BackboneEntry = { ...float.entry, name: 'small-int8', source, sha256: sha256Of(model) };
  return backboneOf(entry, model);
}

/** What /readyz and /metrics show, once the comparison has been made. */
async function shown({ url }: TestServer) {
  let differs: string | undefined;
  await expect
    .poll(
      async () => {
        const page = (await send(`${url}/metrics`)).body as string;
        return (differs = /^unseen_network_differs\{version="[0-9a-f]{12}"\} (\d)$/m.exec(page)?.[1]);
      },
      { timeout: 10_000 },
    )
    .toBeDefined();
  const { status, body } = await send(`${url}/readyz`);
  return { differs, ready: status, status: body.status as string, reasons: body.reasons as string[] };
}

describe('replicas on one registry', () => {
  test('with the same network are both in order', async () => {
    const settings = { registry: await postgres().createDatabase() };
    const first = await startTestServer({ bundle: () => bundle, settings });
    expect(await shown(first)).toEqual({ differs: '0', ready: 200, status: 'ok', reasons: [] });
    const second = await startTestServer({ bundle: () => bundle, settings });
    expect(await shown(second)).toEqual({ differs: '0', ready: 200, status: 'ok', reasons: [] });
  });

  test('the one with another network is degraded, and says so in readiness, metrics and log', async () => {
    const settings = { registry: `sqlite:${join(folder, 'shared.db')}` };
    const first = await startTestServer({ bundle: () => bundle, settings });
    expect(await shown(first)).toMatchObject({ differs: '0' });
    const second = await startTestServer({ bundle: () => bundle, backbone: int8Backbone, settings });
    const found = await shown(second);
    expect(found).toMatchObject({ differs: '1', ready: 200, status: 'degraded' });
    expect(found.reasons).toEqual([
      expect.stringMatching(
        /^this replica uses small-int8 \(int8\) for its features, not small \(fp32\) as another replica of the same model \(cosine [01]\.\d{4}\)$/,
      ),
    ]);
    expect(second.log.join('')).toContain('Replicas answer differently: this replica uses small-int8 (int8)');
    expect((await send(`${first.url}/readyz`)).body).toMatchObject({ status: 'ok' });
  });
});

describe('the comparison of a replica', async () => {
  const server = await startTestServer({ bundle: () => bundle });
  const rows = await server.models.current.inference.fingerprint(AbortSignal.timeout(10_000));
  const random = new Random(4);
  /** What another machine might give: each value off by that share of the row's size. */
  const offBy = (share: number): Uint8Array =>
    fingerprintToBytes(
      rows.map((row) => {
        const size = Math.sqrt(row.reduce((sum, value) => sum + value ** 2, 0) / row.length);
        return row.map((value) => value + share * size * random.normal());
      }),
    );

  async function beside(share: number, networkHash = server.models.current.backbone.sha256!) {
    const store = await openStore('sqlite::memory:');
    const { version } = server.models.current;
    const fingerprint = offBy(share);
    const network = 'small (fp32)';
    await store.replicas.report({
      id: '',
      host: 'oldest',
      bundle: version,
      network,
      networkHash,
      fingerprint,
    });
    const metrics = createMetrics(new Registry());
    const { logger, lines } = silentLogger();
    const context = { models: server.models, replicas: store.replicas, metrics, logger, seconds: 0.02 };
    const comparison = new ReplicaComparison(context);
    afterAll(async () => {
      await comparison.close();
      await store.close();
    });
    comparison.start();
    const gauge = async (): Promise<number | undefined> =>
      (await metrics.networkDiffers.get()).values[0]?.value;
    await expect.poll(gauge).toBeDefined();
    return { store, comparison, gauge, lines };
  }

  test('has a row of features for each picture, the same each time', async () => {
    expect(rows).toHaveLength(builtInPictures().length);
    const again = await server.models.current.inference.fingerprint(AbortSignal.timeout(10_000));
    expect(fingerprintToBytes(again)).toEqual(fingerprintToBytes(rows));
  });

  test('forgives what kernels of another processor round differently', async () => {
    const { comparison, gauge } = await beside(0.01);
    expect(comparison.problems()).toEqual([]);
    expect(await gauge()).toBe(0);
  });

  test('finds a processor that computes something else with the same file; and when that one is gone', async () => {
    const { store, comparison, gauge, lines } = await beside(0.3);
    expect(comparison.problems().join()).toMatch(
      /computes other features than another replica does with the same network \(cosine 0\.9\d+, at least 0\.999 is expected\)/,
    );
    expect(await gauge()).toBe(1);
    expect(lines.join('')).toContain('"replica":"oldest"');
    await store.replicas.leave('');
    await expect.poll(() => comparison.problems()).toEqual([]);
    expect(await gauge()).toBe(0);
  });

  test('finds another file by its hash, however near its features', async () => {
    const { comparison } = await beside(0, '0'.repeat(64));
    expect(comparison.problems().join()).toContain('uses another file of small (fp32) than another replica');
  });

  test('takes back its report when it ends', async () => {
    const { store, comparison } = await beside(0);
    await store.replicas.leave('');
    await comparison.close();
    const probe = { id: 'probe', host: '', bundle: server.models.current.version, network: '' };
    const alone = { ...probe, networkHash: '', fingerprint: Uint8Array.of(1) };
    expect(await store.replicas.report(alone)).toEqual(alone);
  });
});

test('fingerprints of other sizes are not alike', () => {
  const row = Float32Array.of(1, 2, 3);
  const two = fingerprintToBytes([row, row]);
  expect(compareFingerprints(two, two, 2)).toBeCloseTo(1, 6);
  expect(compareFingerprints(two, fingerprintToBytes([row]), 2)).toBe(0);
  expect(compareFingerprints(Uint8Array.of(), Uint8Array.of(), 2)).toBe(0);
});
