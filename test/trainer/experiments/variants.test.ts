import { describe, expect, test } from 'vitest';
import { configurationSchema } from '../../../trainer/configuration.js';
import { tableNames } from '../../../trainer/experiments/published.js';
import { variantsOf } from '../../../trainer/experiments/variants.js';
import { presets } from '../../../trainer/presets.js';

const defaults = configurationSchema.parse({});
const paper = configurationSchema.parse(presets.paper);

describe.each([
  ['the defaults', defaults],
  ['the preset of the paper', paper],
])('ablations of %s', (_, configuration) => {
  test.each(tableNames)('in %s are settings that training accepts, under names of their own', (table) => {
    const variants = variantsOf(configuration, table, true);
    expect(new Set(variants.map(({ name }) => name)).size).toBe(variants.length);
    for (const variant of variants) expect(configurationSchema.parse(variant.configuration)).toBeTruthy();
    expect(variantsOf(configuration, table, false)).toEqual(variants.slice(0, 1));
  });

  test('that change how a generator is trained use all that it learns, so that the change can show', () => {
    const trained = variantsOf(configuration, 'gzsl', true).filter(({ name }) => /p = |f |plan/.test(name));
    expect(trained.length).toBeGreaterThan(7);
    for (const { configuration: own, share } of trained) {
      expect(own.generator).toMatchObject({ closedForm: 'none', share: 1 });
      expect(share).toBeUndefined();
    }
  });
});

test('where there is a closed form, rows say what it is worth alone, with all that is learnt, unweighted and left out', () => {
  const names = variantsOf(defaults, 'gzsl', true).map(({ name }) => name);
  expect(names.slice(0, 5)).toEqual([
    'Unseen',
    'closed form only',
    'closed form and all that is learnt',
    'closed form only, attributes count alike',
    'generator alone',
  ]);
  expect(variantsOf(paper, 'gzsl', true).map(({ name }) => name)).not.toContain('generator alone');
});
