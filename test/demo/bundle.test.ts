import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readBundle } from '../../core/bundle/read.js';
import { attributeNotes } from '../../demo/flags/attribute-notes.js';
import { attributeMatrix, attributeNames } from '../../demo/flags/attributes.js';
import { inventedFlags } from '../../demo/flags/invented.js';
import { letterFlags } from '../../demo/flags/letters.js';
import { rowOf } from '../../core/matrix.js';

const path = fileURLToPath(new URL('../../models/demo', import.meta.url));
const bundle = await readBundle(path);
const { manifest } = bundle;

it('the demonstration bundle knows the flags as they are described today', () => {
  const flags = [...inventedFlags, ...letterFlags];
  const attributes = attributeMatrix(flags);
  expect(manifest.attributes.map(({ name }) => name)).toEqual(attributeNames);
  expect(manifest.attributes.map(({ description }) => ({ description }))).toEqual(attributeNotes);
  expect(manifest.classes.map(({ name }) => name)).toEqual(flags.map(({ name }) => name));
  manifest.classes.forEach(({ name, attributes: found, seen }, i) => {
    expect(found, name).toEqual(Array.from(rowOf(attributes, i)));
    expect(seen, name).toBe(i < inventedFlags.length);
  });
});

it('the demonstration bundle keeps no row of a letter flag', () => {
  expect(bundle.replay.labels.length).toBeGreaterThan(0);
  expect(Math.max(...bundle.replay.labels)).toBeLessThan(inventedFlags.length);
});

it('the demonstration bundle reads letter flags: H and unseen top-1 are at least 70', () => {
  const { evaluation } = manifest.metrics as {
    evaluation: { generalized: { harmonicMean: number }; standard: { top1: number } };
  };
  expect(evaluation.generalized.harmonicMean).toBeGreaterThanOrEqual(0.7);
  expect(evaluation.standard.top1).toBeGreaterThanOrEqual(0.7);
});

it('the demonstration bundle is a few megabytes', () => {
  const bytes = readdirSync(path).reduce((sum, file) => sum + statSync(join(path, file)).size, 0);
  expect(bytes).toBeLessThan(9e6); // 0.7 of them say how far pictures and answers can be trusted
});
