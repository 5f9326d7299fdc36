import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeOpenForm } from '../../trainer/datasets/write-open-form.js';
import { unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { trainingFiles } from '../support/training-files.js';
import { syntheticDataset } from '../../fixtures/synthetic-dataset.js';

const folder = temporaryFolder();
const { data, options } = await trainingFiles(
  folder,
  { seen: 16, unseen: 5, rowsPerClass: 15 },
  {
    generator: { hidden: 32, predictorHidden: 16, members: 1, noiseWidth: 4, epochs: 5, batchSize: 32 },
    head: { samplesPerClass: 20 },
  },
);
const bundle = join(folder, 'model');
const train = (out: string, ...more: string[]): ReturnType<typeof unseen> =>
  unseen('train', ...options, '--out', out, ...more);
const trained = await train(bundle, '--json');
const report = `${bundle}.report.html`;

/** All but the time at which it was made. */
function content(file: string): string {
  return readFileSync(file, 'utf8').replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\.\d+Z)?/g, 'TIME');
}

describe('unseen train', () => {
  test('leaves a report beside the bundle and names it', () => {
    expect(trained.code).toBe(0);
    expect(JSON.parse(trained.stdout)).toMatchObject({ bundle, report });
    expect(content(report)).toMatch(/^<!doctype html>/);
    expect(content(report)).toContain('Marginal error');
    expect(readdirSync(bundle).filter((name) => name.endsWith('.html'))).toEqual([]);
  });

  test('leaves none with --no-report, and the same bundle', async () => {
    const other = join(folder, 'other');
    const { code, stdout } = await train(other, '--no-report');
    expect(code).toBe(0);
    expect(stdout).not.toContain('report');
    expect(existsSync(`${other}.report.html`)).toBe(false);
    expect(readFileSync(join(other, 'manifest.sha256'))).toEqual(
      readFileSync(join(bundle, 'manifest.sha256')),
    );
  });
});

test('a report that cannot be written costs neither the bundle nor the result', async () => {
  const other = join(folder, 'in-the-way');
  mkdirSync(`${other}.report.html`);
  const { code, stdout, stderr } = await train(other);
  expect(code).toBe(0);
  expect(stderr).toContain('The report could not be written; "unseen report" can make it later.');
  expect(stdout).toContain(`Bundle: ${other}`);
  expect(stdout).not.toContain('Report:');
  expect(readdirSync(folder).filter((name) => name.includes('.partial'))).toEqual([]);
});

describe('unseen report', () => {
  test('makes the same report again from the bundle', async () => {
    const again = join(folder, 'again', 'report.html');
    const made = await unseen('report', '--bundle', bundle, '--data', data, '--out', again, '--threads', '1');
    expect(made.stderr).not.toContain('no losses');
    expect(made.stdout).toContain(again);
    expect(content(again)).toBe(content(report));
  });

  test('without the log of the run it reports that and shows the rest', async () => {
    renameSync(`${bundle}.work`, join(folder, 'elsewhere'));
    const bare = join(folder, 'bare.html');
    const made = await unseen('report', '--bundle', bundle, '--data', data, '--out', bare, '--threads', '1');
    expect(made.code).toBe(0);
    expect(made.stderr).toContain('The report has no losses');
    expect(content(bare)).toContain('The log of this run is not here');
    expect(content(bare)).toContain('H on validation classes'); // the bundle itself remembers that
    const named = await unseen(
      ...['report', '--bundle', bundle, '--data', data, '--out', bare, '--threads', '1'],
      ...['--log', join(folder, 'elsewhere', 'log.jsonl'), '--json'],
    );
    expect(JSON.parse(named.stdout)).toEqual({ bundle, report: bare });
    expect(content(bare)).toBe(content(report));
  });

  test('refuses a bundle that is not there, and data of other classes', async () => {
    const none = await unseen('report', '--bundle', join(folder, 'none'), '--data', data);
    expect(none.code).toBe(4);
    expect(none.stderr).toContain('No bundle at');
    const other = join(folder, 'other-data');
    await writeOpenForm(syntheticDataset({ seen: 20, unseen: 5, rowsPerClass: 15 }), other);
    const wrong = await unseen('report', '--bundle', bundle, '--data', other);
    expect(wrong.code).toBe(3);
    expect(wrong.stderr).toContain('does not know');
  });
});
