import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openOptimised } from '../../../core/backbone/optimised-file.js';
import { smallBackbone } from '../../../fixtures/small-backbone.js';
import { networkStart } from '../../../server/inference/network-start.js';
import { OpenedAhead } from '../../../server/inference/opened-ahead.js';
import { temporaryFolder } from '../../support/folders.js';

const backbone = { ...smallBackbone(), folder: temporaryFolder() };
const start = networkStart(backbone, { provider: 'cpu', threads: 1, workers: 1, batchSize: 8 });

test('a network is opened ahead where its optimised form is there', async () => {
  expect(await OpenedAhead.open(start)).toBeNull();
  expect(await OpenedAhead.open({ ...start, optimised: null })).toBeNull();
  await (await openOptimised(backbone.model, start.optimised, { threads: 1 })).release();
  await expect.poll(() => existsSync(start.optimised!)).toBe(true);
  const ahead = (await OpenedAhead.open(start))!;
  const session = (await ahead.sessionFor(start))!;
  expect(session.provider).toBe('cpu');
  await session.release();
});

test('a worker that starts with another network, or runs it otherwise, does not get it', async () => {
  for (const other of [{ optimised: '/another' }, { threads: 2 }, { optimised: null }]) {
    const ahead = (await OpenedAhead.open(start))!;
    expect(await ahead.sessionFor({ ...start, ...other })).toBeNull();
  }
});
