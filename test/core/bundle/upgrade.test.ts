import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Bundle } from '../../../core/bundle/bundle.js';
import { RuntimeFitter } from '../../../core/fitting/fitter.js';
import { readBundle, readManifest } from '../../../core/bundle/read.js';
import { bytesOf, sha256Of } from '../../../core/hash.js';
import { unseenBiasFor } from '../../../core/head/unseen-bias.js';
import { projectFolder } from '../../../core/project-folder.js';
import { temporaryFolder } from '../../support/folders.js';

const demo = join(projectFolder(), 'models/demo');
const folder = temporaryFolder();
const moved = ['syntheticWeight', 'syntheticSeen', 'residual', 'prior'];

interface StoredManifest {
  formatVersion: unknown;
  configuration: Record<string, Record<string, unknown>>;
  head: Record<string, unknown>;
}

/** A copy of the demonstration bundle with its manifest changed and the digest right. */
function changed(name: string, change: (manifest: StoredManifest) => void): string {
  const path = join(folder, name);
  rmSync(path, { recursive: true, force: true });
  cpSync(demo, path, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8')) as StoredManifest;
  change(manifest);
  const text = JSON.stringify(manifest, null, 1);
  writeFileSync(join(path, 'manifest.json'), text);
  writeFileSync(join(path, 'manifest.sha256'), sha256Of(text));
  return path;
}

/** As version 1 was written: what serving needs was in the trainer's configuration only. */
function toVersionOne(manifest: StoredManifest): void {
  manifest.formatVersion = 1;
  manifest.head = Object.fromEntries(Object.entries(manifest.head).filter(([key]) => !moved.includes(key)));
}

test('a bundle of format version 1 is read as the one of version 2 that it would be now', async () => {
  const path = changed('version-1', toVersionOne);
  const [old, now] = [await readBundle(path), await readBundle(demo)];
  expect(old.manifest).toEqual(now.manifest);
  for (const content of [
    (bundle: Bundle) => bundle.featureMap,
    (bundle: Bundle) => bundle.generator,
    (bundle: Bundle) => bundle.predictor,
    (bundle: Bundle) => bytesOf(bundle.weights.data),
    (bundle: Bundle) => bytesOf(bundle.bias),
    (bundle: Bundle) => bytesOf(bundle.replay.features.data),
    (bundle: Bundle) => bytesOf(bundle.replay.labels),
  ])
    expect(Buffer.compare(content(old), content(now))).toBe(0);
  expect(old.identity).toBe(sha256Of(readFileSync(join(path, 'manifest.json'))));
  expect(old.identity).not.toBe(now.identity);
});

test('a class added to a bundle of format version 1 gets the row that version 2 gives it', async () => {
  const path = changed('fitted', toVersionOne);
  const rows = [];
  for (const bundle of [await readBundle(path), await readBundle(demo)]) {
    const { attributes } = bundle.manifest.classes[0];
    const fitter = await RuntimeFitter.open(bundle, { threads: 1 });
    rows.push((await fitter.fit([{ name: 'new', attributes: attributes.toReversed() }])).rows);
    await fitter.release();
  }
  expect(rows[0]).toEqual(rows[1]);
});

test('what version 1 says of the fit comes from its configuration, not from defaults', async () => {
  const path = changed('other-settings', (manifest) => {
    toVersionOne(manifest);
    Object.assign(manifest.configuration.head, { residual: 0.25, prior: 'zero', syntheticWeight: 3 });
  });
  const { manifest } = await readManifest(path);
  expect(manifest.head).toMatchObject({ residual: 0.25, prior: 'zero', syntheticWeight: 3 });
});

test.each(moved)(
  'version 1 without %s in its configuration is refused with the command that makes it again',
  async (key) => {
    const path = changed('incomplete', (manifest) => {
      toVersionOne(manifest);
      manifest.configuration.head = Object.fromEntries(
        Object.entries(manifest.configuration.head).filter(([name]) => name !== key),
      );
    });
    const refusal = expect(readManifest(path)).rejects;
    await refusal.toMatchObject({ code: 'bundle-invalid' });
    await refusal.toThrow(new RegExp(`configuration.head.${key}.*unseen train --data`));
  },
);

test.each(moved)(
  'version 2 without %s in its head is refused, whatever its configuration says',
  async (key) => {
    const path = changed('untyped', (manifest) => {
      manifest.head = Object.fromEntries(Object.entries(manifest.head).filter(([name]) => name !== key));
    });
    const refusal = expect(readManifest(path)).rejects;
    await refusal.toMatchObject({ code: 'bundle-invalid' });
    await refusal.toThrow(`head.${key}`);
  },
);

/** What heads have said of themselves since they can do without intercepts. */
const added = ['intercepts', 'realPrior', 'unseenBiasSlope', 'unseenBiasClasses'];

test.each(['version 1', 'version 2'])(
  'a head of %s from before that says nothing of them has intercepts, no real means and one bias for any number of classes',
  async (version) => {
    const path = changed('older', (manifest) => {
      if (version === 'version 1') toVersionOne(manifest);
      manifest.head = Object.fromEntries(
        Object.entries(manifest.head).filter(([key]) => !added.includes(key)),
      );
    });
    const bundle = await readBundle(path);
    const { head, classes } = bundle.manifest;
    expect(head).toMatchObject({
      intercepts: true,
      realPrior: 0,
      unseenBiasSlope: 0,
      unseenBiasClasses: null,
    });
    for (const competing of [1, 1000]) expect(unseenBiasFor(head, competing)).toBe(head.unseenBias);
    const fitter = await RuntimeFitter.open(bundle, { threads: 1 });
    const { rows } = await fitter.fit([{ name: 'new', attributes: classes[0].attributes.toReversed() }]);
    await fitter.release();
    expect(rows[0].bias).not.toBe(0); // fitted as the rows beside it were
  },
);

test('a bias that grows with the number of competing classes is refused', async () => {
  const path = changed('growing', (manifest) => {
    manifest.head = { ...manifest.head, unseenBiasSlope: 0.1, unseenBiasClasses: 2 };
  });
  await expect(readManifest(path)).rejects.toThrow('head.unseenBiasSlope');
});

test.each([3, 99, 0, '2', undefined])(
  'format version %j is refused with the versions that are read',
  async (version) => {
    const path = changed('unknown', (manifest) => {
      manifest.formatVersion = version;
    });
    const refusal = expect(readManifest(path)).rejects;
    await refusal.toMatchObject({ code: 'bundle-invalid' });
    await refusal.toThrow(`format version ${String(version)}, and this program reads versions 1 to 2`);
  },
);

test.each([
  [null, true],
  [10, true],
  [0, false],
  [undefined, false],
])('a head that sees rows at length %j is read: %j', async (temperature, isRead) => {
  const path = changed('length', (manifest) => {
    manifest.head = { ...manifest.head, temperature };
  });
  if (isRead) expect((await readManifest(path)).manifest.head.temperature).toBe(temperature);
  else await expect(readManifest(path)).rejects.toThrow('head.temperature');
});
