import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killLoop } from '../../../../bench/registry/kill-loop.js';
import { temporaryFolder } from '../../../support/folders.js';
import { postgresForThisFile } from '../../../support/postgres.js';

const kills = Number(process.env.UNSEEN_KILLS ?? 20);
const postgres = postgresForThisFile();
const folder = temporaryFolder();

test(`SQLite: after ${kills} kills every acknowledged commit is there, and none in part`, async () => {
  const count = await killLoop(`sqlite:${join(folder, 'classes.db')}`, kills);
  expect(count).toMatchObject({ kills, lost: 0, half: 0 });
  expect(count.found).toBeGreaterThanOrEqual(count.acknowledged);
  expect(count.acknowledged).toBeGreaterThanOrEqual(kills);
});

test(`PostgreSQL: the same, with the database itself crashing at every tenth kill`, async () => {
  const count = await killLoop(await postgres().createDatabase(), kills, (kill) => postgres().crash(kill));
  expect(count).toMatchObject({ kills, lost: 0, half: 0 });
  expect(count.found).toBeGreaterThanOrEqual(count.acknowledged);
  expect(count.acknowledged).toBeGreaterThanOrEqual(kills);
});
