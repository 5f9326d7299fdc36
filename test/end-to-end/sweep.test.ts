import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { SweepRow } from '../../trainer/experiments/sweep.js';
import { startUnseen, unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { trainingFiles } from '../support/training-files.js';

vi.setConfig({ testTimeout: 600_000 }); // each test starts the program several times
const folder = temporaryFolder();
const { data, options } = await trainingFiles(
  folder,
  { seen: 20, unseen: 6, rowsPerClass: 12 },
  {
    generator: { hidden: 24, predictorHidden: 12, members: 1, noiseWidth: 4, epochs: 5, batchSize: 32 },
    head: { samplesPerClass: 20, iterations: 20 },
    validation: { folds: 2 },
  },
);

function file(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}
const grid = file('grid.json', {
  'generator.learningRate': [1e-5, 3e-3],
  'generator.transport.iterations': [3, 6],
});
const sweep = (out: string, ...more: string[]): string[] => {
  return ['sweep', ...options, '--out', join(folder, out), '--grid', grid, ...more];
};
const rowsOf = (stdout: string): SweepRow[] => JSON.parse(stdout) as SweepRow[];
const whole = await unseen(...sweep('whole'), '--json');
const rows = rowsOf(whole.stdout);

describe('unseen sweep', () => {
  test('tries every combination on every fold, best H first', () => {
    expect(whole.code).toBe(0);
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(row).toMatchObject({ folds: 2, foldsInAll: 2 });
    const sorted = rows.map(({ harmonicMean }) => harmonicMean).sort((a, b) => b - a);
    expect(rows.map(({ harmonicMean }) => harmonicMean)).toEqual(sorted);
    expect(rows[0].settings['generator.learningRate']).toBe(3e-3);
  });

  test('in shards gives the same table, which --merge prints', async () => {
    const first = await unseen(...sweep('shards', '--shard', '1/3', '--json'));
    expect(rowsOf(first.stdout).reduce((sum, { folds }) => sum + folds, 0)).toBe(3);
    await Promise.all([
      unseen(...sweep('shards', '--shard', '2/3')),
      unseen(...sweep('shards', '--shard', '3/3')),
    ]);
    const merged = await unseen(...sweep('shards', '--merge', '--json'));
    expect(rowsOf(merged.stdout)).toEqual(rows);
  });

  test('in several processes gives the same table', async () => {
    const { code, stdout } = await unseen(...sweep('processes', '--processes', '2', '--json'));
    expect(code).toBe(0);
    expect(rowsOf(stdout)).toEqual(rows);
  });

  test('killed, it goes on and gives the same table', async () => {
    const out = join(folder, 'killed');
    const { child, finished } = startUnseen(sweep('killed'));
    const done = (): number =>
      existsSync(out) ? readdirSync(out).filter((name) => name.endsWith('.json')).length : 0;
    while (done() < 3 && child.exitCode === null) await sleep(20);
    child.kill('SIGKILL');
    expect((await finished).code).toBeNull();
    const { stdout } = await unseen(...sweep('killed', '--json'));
    expect(rowsOf(stdout)).toEqual(rows);
    expect(readdirSync(out).every((name) => name.endsWith('.json'))).toBe(true);
  });

  test.each([
    ['a setting that does not exist', { 'generator.hiden': [3] }, /hiden/],
    ['a list that is empty', { 'generator.hidden': [] }, /is no grid/],
  ])('refuses %s', async (_, value, message) => {
    const wrong = file('wrong.json', value);
    const { code, stderr } = await unseen(
      'sweep',
      '--data',
      data,
      '--out',
      join(folder, 'x'),
      '--grid',
      wrong,
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('refuses a shard that does not exist', async () => {
    const { code, stderr } = await unseen(...sweep('x', '--shard', '0/4'));
    expect(code).toBe(2);
    expect(stderr).toContain('0/4');
  });
});
