/** Three servers on one PostgreSQL, each on a port that it keeps over restarts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { UnseenClient } from '../../client/index.js';
import { ServerProcess } from '../serving/server-process.js';

interface Started {
  readonly replica: number;
  readonly seconds: number;
}

export class Cluster {
  private readonly servers: ServerProcess[] = [];
  /** From the start of each process until it was ready. */
  readonly started: Started[] = [];

  constructor(
    readonly ports: readonly number[],
    private readonly settings: Readonly<Record<string, string | number>>,
    /** Instead of `unseen serve` itself. */
    private readonly program?: string,
  ) {}

  /** A rolling restart that waits for each replica, as an orchestrator does. */
  async startAll(): Promise<void> {
    for (const replica of this.ports.keys()) await this.start(replica);
  }

  async start(replica: number): Promise<void> {
    const server = await ServerProcess.start({ ...this.settings, port: this.ports[replica] }, this.program);
    this.servers[replica] = server;
    this.started.push({ replica: replica + 1, seconds: server.readySeconds });
  }

  /** SIGKILL, as in a power failure. */
  kill(replica: number): Promise<void> {
    return this.servers[replica].kill();
  }

  /** Ended by SIGTERM, and replaced once it has exited. */
  async roll(replica: number): Promise<void> {
    const code = await this.servers[replica].stop('SIGTERM');
    if (code !== 0) throw new Error(`replica ${replica + 1} ended with code ${String(code)}`);
    await this.start(replica);
  }

  /** Every class with its probability, for each picture, replica by replica, once all serve the same revision. */
  async answers(pictures: readonly Uint8Array[]): Promise<string[]> {
    const clients = this.ports.map((port) => new UnseenClient({ url: `http://127.0.0.1:${port}` }));
    for (let attempt = 0; ; attempt++) {
      const pages = await Promise.all(clients.map((client) => client.classes({ limit: 1 })));
      const revisions = new Set(pages.map(({ registryRevision }) => registryRevision));
      if (revisions.size === 1) break;
      if (attempt === 100) throw new Error(`replicas stay at revisions ${[...revisions].join(', ')}`);
      await sleep(100);
    }
    return Promise.all(
      clients.map(async (client) => {
        const answered = [];
        for (const picture of pictures) {
          const { predictions, registryRevision } = await client.classify(picture, { topK: 1000 });
          answered.push({ predictions, registryRevision });
        }
        return JSON.stringify(answered);
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}
