import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { availableCores, sessionThreads } from '../../core/available-cores.js';
import { threadsPerWorker } from '../../server/inference/threads-per-worker.js';
import { temporaryFolder } from '../support/folders.js';

function groupWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'cpu'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

test('a quota of a control group counts, rounded down, in both versions', () => {
  expect(availableCores(groupWith({ 'cpu.max': '250000 100000\n' }), 16)).toBe(2);
  const older = { 'cpu/cpu.cfs_quota_us': '300000\n', 'cpu/cpu.cfs_period_us': '100000\n' };
  expect(availableCores(groupWith(older), 16)).toBe(3);
});

test('without a quota all cores count, and half a core is one', () => {
  expect(availableCores(groupWith({ 'cpu.max': 'max 100000\n' }), 16)).toBe(16);
  expect(
    availableCores(groupWith({ 'cpu/cpu.cfs_quota_us': '-1', 'cpu/cpu.cfs_period_us': '100000' }), 16),
  ).toBe(16);
  expect(availableCores(groupWith({}), 16)).toBe(16);
  expect(availableCores(groupWith({ 'cpu.max': '50000 100000' }), 16)).toBe(1);
});

test('more quota than cores is no more cores', () => {
  expect(availableCores(groupWith({ 'cpu.max': '3200000 100000' }), 4)).toBe(4);
});

test('a session takes the threads that were asked for, else those of the quota, else what the runtime finds right', () => {
  const limited = groupWith({ 'cpu.max': '200000 100000' });
  expect(sessionThreads(6, limited, 16)).toBe(6);
  expect(sessionThreads(0, limited, 16)).toBe(2);
  expect(sessionThreads(0, limited, 2)).toBe(0);
  expect(sessionThreads(0, groupWith({ 'cpu.max': 'max 100000' }), 16)).toBe(0);
});

test('workers share the cores, unless threads were asked for', () => {
  expect(threadsPerWorker({ threads: 3, workers: 2 })).toBe(3);
  expect(threadsPerWorker({ threads: 0, workers: 64 })).toBe(Math.max(1, Math.floor(availableCores() / 64)));
});
