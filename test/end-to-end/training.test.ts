import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startUnseen, unseen } from '../support/command-line.js';
import { temporaryFolder } from '../support/folders.js';
import { trainingFiles } from '../support/training-files.js';

const folder = temporaryFolder();
const { data, options } = await trainingFiles(
  folder,
  { seen: 30, unseen: 8, rowsPerClass: 15 },
  {
    generator: { hidden: 64, predictorHidden: 32, members: 2, noiseWidth: 4, epochs: 60, batchSize: 32 },
    head: { samplesPerClass: 20 },
  },
);
const trainArguments = (out: string): string[] => ['train', ...options, '--out', out];
const reference = join(folder, 'reference');
const trained = await unseen(...trainArguments(reference), '--json');

function bytesOf(path: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'base64')]),
  );
}

describe('unseen train', () => {
  test('prints one JSON document and nothing for people with --json', () => {
    expect(trained.code).toBe(0);
    expect(trained.stderr).toBe('');
    const report = JSON.parse(trained.stdout) as {
      evaluations: { evaluation: { standard: { top1: number } } }[];
    };
    expect(report.evaluations[0].evaluation.standard.top1).toBeGreaterThan(0.3); // chance is 0.125
  });

  test('prints the model beside both baselines for people, and no progress bar into a pipe', async () => {
    const { code, stdout, stderr } = await unseen(...trainArguments(join(folder, 'people')));
    expect(code).toBe(0);
    expect(stdout).toMatch(/model\s+kernel ridge\s+ESZSL/);
    const figure = /\d+\.\d \(\d+\.\d – \d+\.\d\)/.source; // with its interval
    for (const name of ['unseen', 'seen', 'H', 'top-1'])
      expect(stdout).toMatch(new RegExp(`${name}\\s+${figure}\\s+${figure}\\s+${figure}`));
    expect(stdout).toMatch(/bias -?\d+\.\d{3}, -?\d+\.\d{3}, -?\d+\.\d{3}$/m);
    expect(stdout).toMatch(
      /bias is chosen on validation classes, where any from -?\d+\.\d\d to -?\d+\.\d\d is within half a point of H \(\d+ held-out classes/,
    );
    expect(stderr).not.toContain('█');
  });

  test('killed without warning and resumed gives the bytes of a run that was not', async () => {
    const out = join(folder, 'killed');
    let kills = 0;
    for (const delay of [900, 1300, 1700]) {
      const { child, finished } = startUnseen([
        ...trainArguments(out),
        ...(existsSync(`${out}.work/key`) ? ['--resume'] : []),
      ]);
      await sleep(delay);
      if (child.kill('SIGKILL')) kills += 1;
      await finished;
      if (existsSync(out)) break;
    }
    expect(kills).toBeGreaterThan(0);
    if (!existsSync(out) || existsSync(`${out}.work/key`)) {
      const resume = existsSync(`${out}.work/key`) ? ['--resume'] : [];
      expect(await unseen(...trainArguments(out), ...resume)).toMatchObject({ code: 0 });
    }
    expect(bytesOf(out)).toEqual(bytesOf(reference));
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends it with code 130, no bundle, and a run to resume',
    async (signal) => {
      const out = join(folder, signal);
      const { child, finished } = startUnseen(trainArguments(out));
      while (!existsSync(`${out}.work/key`)) await sleep(20);
      child.kill(signal);
      const { code, stderr } = await finished;
      expect(code).toBe(130);
      expect(stderr).toContain('Stopped on request. Run the same command with --resume');
      expect(existsSync(out)).toBe(false);
      rmSync(`${out}.work`, { recursive: true });
    },
  );
});

test('a Ctrl-C that arrives twice, as npm forwards it, still says how to resume', async () => {
  const out = join(folder, 'twice');
  const { child, finished } = startUnseen(trainArguments(out));
  while (!existsSync(`${out}.work/key`)) await sleep(20);
  child.kill('SIGINT');
  await sleep(5); // two of one kind that arrive together are one for the system
  child.kill('SIGINT');
  const { code, stderr } = await finished;
  expect(code).toBe(130);
  expect(stderr).toContain('Stopping at the next safe point; Ctrl-C again ends at once.');
  expect(stderr).toContain('Stopped on request. Run the same command with --resume');
  rmSync(`${out}.work`, { recursive: true });
});

describe('unseen evaluate and inspect', () => {
  test('judge the saved bundle as training did', async () => {
    const { code, stdout } = await unseen('evaluate', '--bundle', reference, '--data', data, '--json');
    expect(code).toBe(0);
    const evaluation = JSON.parse(stdout) as Record<string, unknown>;
    const report = JSON.parse(trained.stdout) as {
      evaluations: { evaluation: Record<string, unknown> }[];
      baselines: Record<'kernelRidge' | 'eszsl', { standardAccuracy: number }>;
    };
    expect(evaluation).toMatchObject(report.evaluations[0].evaluation);
    expect(evaluation.baselines).toEqual(report.baselines);
    for (const { standardAccuracy } of Object.values(report.baselines))
      expect(standardAccuracy).toBeGreaterThan(0.3); // chance is 0.125
  });

  test('show what is in it', async () => {
    const { code, stdout } = await unseen('inspect', reference);
    expect(code).toBe(0);
    expect(stdout).toContain('30 seen, 8 unseen');
    expect(stdout).toContain('every hash verified');
  });

  test('refuse a bundle with a byte changed, code 4', async () => {
    const file = join(folder, 'people', 'head-weights.f32');
    const bytes = readFileSync(file);
    bytes[0] ^= 1;
    writeFileSync(file, bytes);
    const { code, stderr } = await unseen('inspect', join(folder, 'people'));
    expect(code).toBe(4);
    expect(stderr).toContain('head-weights.f32 does not match its hash');
  });
});

describe('what cannot work is refused with what to change', () => {
  const cases: [string, string[], number, RegExp][] = [
    [
      'no such dataset',
      ['train', '--data', '/nowhere', '--out', join(folder, 'x')],
      3,
      /no dataset at \/nowhere/,
    ],
    ['no output named', ['train', '--data', data], 2, /--out/],
    ['an unknown preset', ['train', '--data', data, '--out', 'x', '--preset', 'best'], 2, /cub, paper/],
    ['a seed that is no number', ['train', '--data', data, '--out', 'x', '--seed', 'one'], 2, /whole number/],
    [
      'a provider that is not here',
      ['train', '--data', data, '--out', join(folder, 'x'), '--provider', 'cuda'],
      5,
      /--provider cpu/,
    ],
    [
      'an engine that is not installed',
      ['train', '--data', data, '--out', join(folder, 'x'), '--engine', 'tensorflow'],
      5,
      /tfjs-node-gpu/,
    ],
    [
      'a setting that is misspelt',
      ['train', '--data', data, '--out', join(folder, 'x'), '--config', misspelt()],
      2,
      /hiden/,
    ],
    ['no such bundle', ['inspect', join(folder, 'nothing')], 4, /No bundle at/],
    ['an unknown command', ['tarin'], 2, /train/],
  ];
  test.each(cases)('%s', async (_, args, expected, message) => {
    const { code, stdout, stderr } = await unseen(...args);
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
    expect(stdout).toBe('');
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('as JSON too, with --json', async () => {
    const { code, stdout } = await unseen('inspect', join(folder, 'nothing'), '--json');
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'bundle-not-found' } });
  });
});

describe('help', () => {
  test.each([
    ['train'],
    ['evaluate'],
    ['baseline'],
    ['dataset', 'check'],
    ['dataset', 'convert'],
    ['inspect'],
  ])('%s %s shows examples', async (...names) => {
    const { code, stdout } = await unseen(...names, '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('Examples:');
    expect(stdout).toContain(`unseen ${names.join(' ')}`);
  });

  test('the program lists its commands and exit codes', async () => {
    const { code, stdout } = await unseen('--help');
    expect(code).toBe(0);
    for (const word of ['train', 'evaluate', 'baseline', 'dataset', 'inspect', 'Exit codes'])
      expect(stdout).toContain(word);
  });
});

function misspelt(): string {
  const path = join(folder, 'misspelt.json');
  writeFileSync(path, JSON.stringify({ generator: { hiden: 3 } }));
  return path;
}
