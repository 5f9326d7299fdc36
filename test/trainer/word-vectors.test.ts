/** Word vectors as attributes, as on ImageNet: many of them, signed, of no fixed length, and unlike percentages in every way. */
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { silent } from '../../core/progress.js';
import { checkClassOrder } from '../../trainer/baseline/class-order.js';
import { loadAndCheck } from '../../trainer/datasets/load.js';
import { writeOpenForm } from '../../trainer/datasets/write-open-form.js';
import { OnnxEngine } from '../../trainer/engine/onnx/engine.js';
import { evaluateModel } from '../../trainer/evaluation/evaluate.js';
import { trainModel } from '../../trainer/model.js';
import { temporaryFolder } from '../support/folders.js';
import { smallConfiguration } from '../../fixtures/small-configuration.js';
import { wordVectorDataset } from '../support/word-vector-dataset.js';

vi.setConfig({ testTimeout: 120_000 });
const folder = temporaryFolder();
const engine = new OnnxEngine({ threads: 1 });

describe.each([500, 1000])('%d signed values for each class', (width) => {
  const dataset = wordVectorDataset({}, width);

  test('pass the checks, come back from their file exactly, and are found to belong to their classes', async () => {
    const path = join(folder, `words-${width}`);
    await writeOpenForm(dataset, path);
    const { dataset: read, findings } = await loadAndCheck(path);
    expect(findings).toEqual([]);
    expect(read.attributes).toEqual(dataset.attributes);
    expect(read.attributes.data.some((value) => value < 0)).toBe(true);
    const order = checkClassOrder(read);
    expect(order.isConclusive).toBe(true);
    expect(order.explained).toBeGreaterThan(0.5);
  });

  test.each(['standardised', 'unit-length'] as const)(
    'tell unseen classes apart when %s',
    async (encoding) => {
      const configuration = smallConfiguration({
        generator: { epochs: 12, attributeEncoding: encoding, noiseWidth: 4 },
      });
      const { data, head } = await trainModel(dataset, configuration, {
        engine,
        seed: 1,
        label: 'test',
        watcher: silent,
      });
      const { temperature } = configuration.head;
      const { standard } = await evaluateModel({ mapper: data.mapper, head, temperature }, dataset, 0);
      await data.release();
      const chance = 1 / dataset.unseen.length;
      expect(standard.top1).toBeGreaterThan(3 * chance);
      expect(standard.top5).toBeGreaterThan(5 * chance + 0.2);
    },
  );
});
