import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configurationSchema } from '../../trainer/configuration.js';
import { presets } from '../../trainer/presets.js';
import { readConfiguration } from '../../trainer/read-configuration.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('settings', () => {
  test('all have defaults', async () => {
    expect(await readConfiguration({})).toEqual(configurationSchema.parse({}));
  });

  test.each(Object.keys(presets) as (keyof typeof presets)[])('preset %s is complete', async (preset) => {
    expect((await readConfiguration({ preset })).generator.epochs).toBeGreaterThan(0);
  });

  test("preset paper is the paper's configuration", async () => {
    const { features, generator, head, validation, transductive, experiments } = await readConfiguration({
      preset: 'paper',
    });
    expect(features).toMatchObject({ kind: 'minmax', power: 1 });
    expect(generator).toMatchObject({
      hidden: 4096,
      batchSize: 128,
      learningRate: 1e-3,
      transportProbability: 0.9,
      beta: 0.05,
      gammaSquared: 0.5,
      transport: { lambda: 0.5 },
      regulariseUnseen: true,
      batchLabels: 'independent',
      outputBias: 'zero',
      supervisedForm: 'paper',
      discrimination: 0,
    });
    expect(head).toMatchObject({
      samplesPerClass: 500,
      syntheticSeen: true,
      syntheticWeight: null,
      temperature: null,
      prior: 'zero',
      residual: 0,
    });
    expect(validation.unseenBias).toBe(0);
    expect(transductive).toBeUndefined(); // only the table tzsl has unlabelled rows
    expect(experiments).toMatchObject({ standardHead: 'separate', transductive: { algorithm: 'paper' } });
  });

  test('of a file win over those of a preset, one by one', async () => {
    const path = file('over.json', '{"generator": {"hidden": 7}}');
    const { generator } = await readConfiguration({ preset: 'paper', file: path });
    expect(generator).toMatchObject({ hidden: 7, predictorHidden: 4096 });
  });

  test.each([
    ['{"generator": {"hidden": 0}}', /hidden/],
    ['{"generator": {"learningRate": "fast"}}', /learningRate/],
    ['{"generater": {}}', /there is no setting generater\. Did you mean "generator"\?/],
    ['{"head": {"temprature": 3}}', /there is no setting head\.temprature\. Did you mean "temperature"\?/],
    ['{"generator": {"transport": {"lamda": 3}}}', /generator\.transport\.lamda\. Did you mean "lambda"\?/],
    ['{"transductive": {"rowz": 3}}', /there is no setting transductive\.rowz/],
    ['{"head": {"temperature": null}}', /head\.prior to "zero" and head\.residual to 0/],
    ['{', /not JSON/],
  ])('%s is refused with the setting named', async (text, message) => {
    await expect(readConfiguration({ file: file('bad.json', text) })).rejects.toThrow(message);
    await expect(readConfiguration({ file: file('bad.json', text) })).rejects.toMatchObject({
      code: 'config-invalid',
    });
  });

  test('a file that is not there is named', async () => {
    await expect(readConfiguration({ file: join(folder, 'none.json') })).rejects.toThrow('none.json');
  });

  test('each says what it does', () => {
    for (const section of ['features', 'generator', 'head', 'validation'] as const) {
      const { shape } = configurationSchema.shape[section].unwrap();
      for (const [name, schema] of Object.entries(shape)) {
        expect(
          (schema as { description?: string }).description ?? (name === 'transport' ? 'x'.repeat(20) : ''),
        ).toMatch(/.{20}/);
      }
    }
  });
});
