import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Checkpoint } from '../../trainer/generator/checkpoint.js';
import { runResumableUnit, type UnitContext } from '../../trainer/resumable-unit.js';
import { WorkDirectory } from '../../trainer/work-directory.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const checkpoint: Checkpoint = {
  epoch: 1,
  training: { step: 3, parameters: {}, firstMoments: {}, secondMoments: {} },
  batches: {} as Checkpoint['batches'],
  reports: [],
};

function open(name: string, resume = false) {
  const path = join(folder, name);
  const work = WorkDirectory.open(path, 'key', resume);
  return {
    work,
    log: () => readFileSync(work.logFile, 'utf8'),
    checkpoints: () => readdirSync(join(path, 'checkpoints')),
    resultFile: join(path, 'results', 'unit.json'),
  };
}

async function twoMembers({ checkpoints, log }: UnitContext): Promise<{ accuracy: number }> {
  for (const member of [0, 1]) {
    await checkpoints(member).save(checkpoint);
    log({ member });
  }
  return { accuracy: 0.5 };
}

const mustNotRun = (): Promise<never> => Promise.reject(new Error('it ran again'));

test('a finished unit deletes its checkpoints; after a resume it is read back and its log written again', async () => {
  const before = open('finished');
  expect(await runResumableUnit(before.work, 'unit', twoMembers)).toEqual({ accuracy: 0.5 });
  expect(before.checkpoints()).toEqual([]);
  const log = before.log();
  expect(log).toBe('{"member":0}\n{"member":1}\n');

  const after = open('finished', true);
  expect(after.log()).toBe('');
  expect(await runResumableUnit(after.work, 'unit', mustNotRun)).toEqual({ accuracy: 0.5 });
  expect(after.log()).toBe(log);
});

test('a unit that fails stores no result and keeps its checkpoints for the next run', async () => {
  const before = open('failed');
  const failing = runResumableUnit(before.work, 'unit', async (context) => {
    await twoMembers(context);
    throw new Error('killed');
  });
  await expect(failing).rejects.toThrow('killed');
  const after = open('failed', true);
  expect(after.checkpoints()).toEqual(['unit-0', 'unit-1']);
  const epochs = await runResumableUnit(after.work, 'unit', async ({ checkpoints }) => [
    (await checkpoints(0).load())?.epoch,
    (await checkpoints(1).load())?.epoch,
  ]);
  expect(epochs).toEqual([1, 1]);
  expect(after.checkpoints()).toEqual([]);
});

test('a unit runs again when that is asked for, or when its file has another form', async () => {
  const { work, resultFile } = open('again');
  await runResumableUnit(work, 'unit', twoMembers);
  const again = () => Promise.resolve({ accuracy: 0.75 });
  expect(await runResumableUnit(work, 'unit', again, { rerun: true })).toEqual({ accuracy: 0.75 });
  writeFileSync(resultFile, JSON.stringify({ evaluation: { accuracy: 0.25 }, log: [] }));
  expect(await runResumableUnit(work, 'unit', twoMembers)).toEqual({ accuracy: 0.5 });
});
