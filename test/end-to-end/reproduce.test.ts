import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Reproduction } from '../../trainer/experiments/reproduce.js';
import { writeOpenForm } from '../../trainer/datasets/write-open-form.js';
import { startUnseen, unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { trainingFiles } from '../support/training-files.js';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';

vi.setConfig({ testTimeout: 600_000 }); // each test starts the program several times
const folder = temporaryFolder();
const { options } = await trainingFiles(
  folder,
  { seen: 40, unseen: 6, rowsPerClass: 12 },
  {
    generator: {
      hidden: 24,
      predictorHidden: 12,
      members: 1,
      noiseWidth: 4,
      epochs: 12,
      batchSize: 32,
      transport: { iterations: 5 },
    },
    head: { samplesPerClass: 20, iterations: 20 },
  },
);
const common = [...options, '--benchmark', 'sun'];
const figures = ['samples', 'ipot-vs-sinkhorn', 'tsne'];
const asked = ['--table', 'gzsl', 'szsl', 'tzsl', 'imagenet', '--figure', ...figures, '--seeds', '2'];
const argumentsOf = (out: string): string[] => ['reproduce', ...common, ...asked, '--out', out];

const out = join(folder, 'whole');
const whole = await unseen(...argumentsOf(out), '--json');
const reproduction = JSON.parse(whole.stdout) as Reproduction;

describe('unseen reproduce', () => {
  test('puts our row beside those of the paper, the best published and the baselines', () => {
    expect(whole.code).toBe(0);
    const [gzsl, szsl, tzsl] = reproduction.tables;
    expect(new Set(gzsl.rows.map(({ source }) => source))).toEqual(
      new Set(['paper', 'published', 'baseline', 'ours']),
    );
    expect(gzsl.columns).toEqual(['unseen', 'seen', 'H']);
    expect(gzsl.rows.at(-1)).toMatchObject({ source: 'ours', seeds: 2 });
    expect(gzsl.notes.join()).toContain('cannot be right');
    expect(gzsl.notes.join()).toContain(
      '± is the standard deviation over seeds; each has its own training, validation folds',
    );
    const spreads = gzsl.rows
      .filter(({ source }) => source === 'baseline')
      .map(({ deviations }) => deviations!);
    expect(spreads.filter(([, , ofH]) => ofH > 0).length).toBeGreaterThan(3); // closed forms too: their bias follows the folds
    const ours = (table: typeof szsl): number =>
      table.rows.find(({ source }) => source === 'ours')!.values[0]!;
    expect(ours(szsl)).toBeGreaterThan(30); // chance is 17
    expect(ours(tzsl)).toBeGreaterThan(30);
  });

  test('records the curves for plotting, a value for each count and each epoch', () => {
    const [samples, solvers, tsne] = reproduction.figures;
    if (samples.figure !== 'samples' || solvers.figure !== 'ipot-vs-sinkhorn' || tsne.figure !== 'tsne')
      throw new Error('wrong order');
    expect(samples.points.at(-1)).toMatchObject({ samplesPerClass: 500 });
    expect(solvers.curves.map(({ solver }) => solver)).toEqual(['ipot', 'ipot', 'sinkhorn', 'sinkhorn']);
    for (const { validationLoss } of solvers.curves) {
      expect(validationLoss).toHaveLength(12);
      expect(validationLoss[11]).toBeLessThan(validationLoss[0]);
    }
    const { classes, points, ofUnseen } = tsne.embedding!;
    expect(ofUnseen).toBe(true);
    expect(classes).toHaveLength(6);
    expect(points).toHaveLength(2 * 6 * 12); // as many synthetic as real ones
  });

  test('judges the table of ImageNet by top-1 and top-5 of the very same model', () => {
    const [, szsl, , imagenet] = reproduction.tables;
    const row = (table: typeof szsl, source: string) => table.rows.find((one) => one.source === source)!;
    expect(imagenet.columns).toEqual(['top-1', 'top-5']);
    expect(row(imagenet, 'ours').values[0]).toBe(row(szsl, 'ours').values[0]);
    expect(row(imagenet, 'baseline').values[0]).toBe(row(szsl, 'baseline').values[0]);
    for (const { values, name } of imagenet.rows)
      if (values[0] !== null) expect(values[1], name).toBeGreaterThanOrEqual(values[0]);
    expect(imagenet.notes.join()).toContain('does not say which');
  });

  test('leaves JSON and a report that agree with what it printed', () => {
    expect(JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'))).toEqual(reproduction);
    const [text, page] = ['report.md', 'report.html'].map((file) => readFileSync(join(out, file), 'utf8'));
    for (const content of [text, page]) expect(content).toContain('Transductive zero-shot learning');
    expect(page.match(/<svg role="img"/g)).toHaveLength(3);
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('killed again and again, it goes on and gives the same tables', async () => {
    const killed = join(folder, 'killed');
    const results = join(killed, 'work', 'results');
    const done = (): number => (existsSync(results) ? readdirSync(results).length : 0);
    for (const enough of [1, 8]) {
      const { child, finished } = startUnseen(argumentsOf(killed));
      while (done() < enough && child.exitCode === null) await sleep(20);
      child.kill('SIGKILL');
      expect((await finished).code).toBeNull();
      expect(existsSync(join(killed, 'results.json'))).toBe(false);
    }
    const { code } = await unseen(...argumentsOf(killed));
    expect(code).toBe(0);
    const files = ['results.json', 'report.md', 'report.html'];
    for (const file of files)
      expect(readFileSync(join(killed, file), 'utf8')).toBe(readFileSync(join(out, file), 'utf8'));
  });

  test('with everything done already, answers at once and the same', async () => {
    const { stdout, code } = await unseen(...argumentsOf(out), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(reproduction);
  });

  test('says whether the regulariser helps, when the ablations are asked for', async () => {
    const args = [...common, '--table', 'szsl', '--ablations', '--no-baselines', '--seeds', '1'];
    const { stdout, code } = await unseen('reproduce', ...args, '--out', out, '--json');
    expect(code).toBe(0);
    const [table] = (JSON.parse(stdout) as Reproduction).tables;
    expect(table.rows.filter(({ source }) => source === 'ablation').length).toBeGreaterThan(12);
    const values = new Map(table.rows.map(({ name, values: [top1] }) => [name, top1]));
    const parts = ['closed form only', 'closed form and all that is learnt', 'generator alone'];
    for (const name of parts) expect(values.get(name), name).toBeGreaterThan(30); // chance is 17
    expect(values.get(parts[2])).not.toBe(values.get(parts[0]));
    expect([values.get(parts[0]), values.get(parts[1])]).toContain(values.get('Unseen'));
    expect(table.notes.join()).toContain('Rows of a generator alone');
    expect(table.rows.filter(({ source }) => source === 'baseline')).toEqual([]);
    expect(table.notes.join()).toMatch(/w\/o f is (not )?below/);
  });

  test('refuses to do nothing, and to mix results of other data', async () => {
    const nothing = await unseen('reproduce', ...common, '--out', join(folder, 'x'));
    expect(nothing).toMatchObject({ code: 2 });
    expect(nothing.stderr).toContain('--table');
    const other = join(folder, 'other');
    await writeOpenForm(syntheticDataset({ seed: 9, seen: 20, unseen: 6 }), other);
    const mixed = await unseen('reproduce', '--data', other, '--table', 'szsl', '--out', out);
    expect(mixed.code).toBe(2);
    expect(mixed.stderr).toContain('other data');
  });
});
