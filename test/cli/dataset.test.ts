import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addBaselineCommand } from '../../cli/commands/baseline.js';
import { addDatasetCommand } from '../../cli/commands/dataset.js';
import { createProgram, type Runner } from '../../cli/program.js';
import { takeRows } from '../../core/matrix.js';
import { silent } from '../../core/progress.js';
import { writeOpenForm } from '../../trainer/datasets/write-open-form.js';
import { writeXlsa17 } from '../../trainer/datasets/write-xlsa17.js';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';

let root: string;
const dataset = syntheticDataset({ seen: 40, unseen: 5, attributes: 8, featureWidth: 24, rowsPerClass: 10 });
const shifted = {
  ...dataset,
  attributes: takeRows(
    dataset.attributes,
    Array.from({ length: 45 }, (_, i) => (i + 7) % 45),
  ),
};
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'unseen-cli-'));
  await writeOpenForm(dataset, join(root, 'sound'));
  await writeXlsa17(shifted, join(root, 'shifted'));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

/** What a command would print: its result, and its notes. */
async function unseen(
  ...words: string[]
): Promise<{ text: string; value: unknown; notes: string[]; json: boolean }> {
  const printed = { text: '', value: null as unknown, notes: [] as string[], json: false };
  const run: Runner = async (json, action) => {
    printed.json = json;
    await action({
      ...silent,
      json,
      note: (line) => printed.notes.push(line),
      result: (text, value) => {
        printed.text = text;
        printed.value = value;
      },
    });
  };
  const program = createProgram([addDatasetCommand, addBaselineCommand], run).exitOverride();
  const quiet = { writeErr: () => undefined, writeOut: () => undefined };
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap((child) => child.commands),
  ])
    command.configureOutput(quiet).exitOverride();
  await program.parseAsync(words, { from: 'user' });
  return printed;
}

describe('unseen dataset check', () => {
  test('describes the contents of a sound dataset', async () => {
    const { text, value, json } = await unseen('dataset', 'check', join(root, 'sound'));
    expect(text).toMatch(/40 seen and 5 unseen classes with 8 attributes/);
    expect(text).toMatch(/No problems found/);
    expect(value).toMatchObject({ form: 'open', seenClasses: 40, unseenClasses: 5, rows: 450, warnings: [] });
    expect(json).toBe(false);
  });

  test('warns when the attributes are in another order than the classes', async () => {
    const { text, value, json } = await unseen('dataset', 'check', join(root, 'shifted'), '--json');
    expect(text).toMatch(/Warning: the attributes hardly fit the classes/);
    expect(value).toMatchObject({ form: 'xlsa17', warnings: [{ code: 'class-order' }] });
    expect(json).toBe(true);
  });

  test('fails with everything that is wrong', async () => {
    const target = join(root, 'wrong');
    const overlapping = { ...dataset.splits, testSeen: dataset.splits.train.slice(0, 3) };
    await writeXlsa17(
      { ...dataset, splits: overlapping, classNames: ['', ...dataset.classNames.slice(1)] },
      target,
    );
    await expect(unseen('dataset', 'check', target)).rejects.toMatchObject({
      code: 'dataset-invalid',
      message: expect.stringMatching(/without a name[^]*both train and test-seen/) as string,
    });
  });

  test('a missing directory or argument is reported', async () => {
    await expect(unseen('dataset', 'check', join(root, 'absent'))).rejects.toMatchObject({
      code: 'dataset-not-found',
    });
    await expect(unseen('dataset', 'check')).rejects.toBeInstanceOf(CommanderError);
  });
});

describe('unseen dataset convert', () => {
  test('writes the form asked for, and refuses to write over it', async () => {
    const target = join(root, 'converted');
    await unseen('dataset', 'convert', join(root, 'sound'), target, '--to', 'xlsa17');
    expect((await readdir(target)).sort()).toEqual(['att_splits.mat', 'attribute-names.txt', 'res101.mat']);
    const again = unseen('dataset', 'convert', join(root, 'sound'), target, '--to', 'xlsa17');
    await expect(again).rejects.toMatchObject({ code: 'output-exists' });
    await expect(unseen('dataset', 'convert', target, `${target}2`, '--to', 'zip')).rejects.toBeInstanceOf(
      CommanderError,
    );
  });
});

describe('unseen baseline', () => {
  test('prints accuracies in percent, and as fractions with --json', async () => {
    const { text, value } = await unseen(
      'baseline',
      '--data',
      join(root, 'sound'),
      '--method',
      'eszsl',
      '--json',
    );
    const { standardAccuracy } = value as { standardAccuracy: number };
    expect(standardAccuracy).toBeGreaterThan(0.5);
    expect(text).toContain((100 * standardAccuracy).toFixed(1));
  });

  test.each(['eszsl', 'kernel-ridge'])(
    '%s says with which bias, and what it has without one',
    async (method) => {
      const { text, value } = await unseen(
        'baseline',
        '--data',
        join(root, 'sound'),
        '--method',
        method,
        '--json',
      );
      const { unseenBias, withoutBias } = value as {
        unseenBias: number;
        withoutBias: { harmonicMean: number };
      };
      const without = (100 * withoutBias.harmonicMean).toFixed(1);
      expect(text).toContain(
        `H at bias ${unseenBias.toFixed(3)}, chosen on validation classes; without it ${without}`,
      );
    },
  );

  test('without a method measures both closed forms, as each of them is measured alone', async () => {
    const { text, value } = await unseen('baseline', '--data', join(root, 'sound'), '--json');
    const { methods } = value as { methods: { method: string }[] };
    expect(methods.map(({ method }) => method)).toEqual(['kernel-ridge', 'eszsl']);
    for (const own of methods) {
      const alone = await unseen('baseline', '--data', join(root, 'sound'), '--method', own.method, '--json');
      expect(alone.value).toMatchObject(own);
      expect(text).toContain(alone.text);
    }
  });

  test('what applies to ESZSL alone asks for it, and not for others', async () => {
    const { value } = await unseen('baseline', '--data', join(root, 'sound'), '--lambda', '0.5', '--json');
    expect(value).toMatchObject({ method: 'eszsl', settings: { lambda: 0.5 } });
    const other = unseen('baseline', '--data', join(root, 'sound'), '--method', 'sae', '--gamma', '1');
    await expect(other).rejects.toMatchObject({ code: 'usage' });
  });

  test('a bias that nothing chose is not called chosen', async () => {
    const two = join(root, 'two-seen');
    await writeOpenForm(syntheticDataset({ seen: 2, unseen: 3 }), two);
    const closed = await unseen('baseline', '--data', two, '--json');
    expect(
      closed.text.match(/H without a bias: there are too few seen classes to validate on/g),
    ).toHaveLength(2);
    expect(closed.value).toMatchObject({
      methods: [{ biasOrigin: 'not-chosen' }, { biasOrigin: 'not-chosen' }],
    });
    const softmax = await unseen('baseline', '--data', join(root, 'sound'), '--method', 'softmax', '--json');
    expect(softmax.text).toContain('H without a bias, which this method does not have');
    expect(softmax.value).toMatchObject({ biasOrigin: 'none', unseenBias: 0, validation: null });
    for (const { text } of [closed, softmax]) expect(text).not.toContain('chosen on validation classes');
  });

  test('warns when the attributes are in another order than the classes', async () => {
    const { notes } = await unseen('baseline', '--data', join(root, 'shifted'), '--gamma', '1');
    expect(notes.join()).toMatch(/Warning: the attributes hardly fit/);
  });

  test('settings that cannot work are refused', async () => {
    await expect(unseen('baseline', '--data', root, '--gamma', '0')).rejects.toBeInstanceOf(CommanderError);
    await expect(unseen('baseline')).rejects.toBeInstanceOf(CommanderError);
  });
});
