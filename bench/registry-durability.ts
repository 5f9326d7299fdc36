/**
 * What a registry contains after its writer was killed (SIGKILL) at random moments, on both databases; with PostgreSQL every
 * tenth time the database itself is stopped as by a crash, under the writer:
 *   npm run bench -- registry-durability [kills]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killLoop, type KillCount } from './registry/kill-loop.js';
import { startPostgres } from '../fixtures/postgres-server.js';

const kills = Number(process.argv[2]?.replace(/^kills=/, '') ?? 200);
const folder = mkdtempSync(join(tmpdir(), 'unseen-durability-'));
const postgres = await startPostgres();

function report(kind: string, { kills, acknowledged, found, lost, half }: KillCount): void {
  console.log(
    `${kind}: ${kills} kills, ${acknowledged} acknowledged, ${found} found, ${lost} lost, ${half} half`,
  );
  if (lost + half > 0) process.exitCode = 1;
}

try {
  report('SQLite', await killLoop(`sqlite:${join(folder, 'classes.db')}`, kills));
  report(
    'PostgreSQL',
    await killLoop(await postgres.createDatabase(), kills, (kill) => postgres.crash(kill)),
  );
} finally {
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
}
