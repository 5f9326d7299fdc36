/** Hears what other replicas announce, on a connection of its own that comes back by itself. */
import pg from 'pg';

const minWait = 100;
const maxWait = 5_000;

export const channel = 'unseen_registry';

export class Listener {
  private client: pg.Client | null = null;
  private timer: NodeJS.Timeout | undefined;
  private wait = minWait;
  private closed = false;

  constructor(
    private readonly configuration: pg.ClientConfig,
    private readonly onAnnouncement: () => void,
  ) {
    void this.connect();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new pg.Client(this.configuration);
    this.client = client;
    const lost = (): void => {
      this.lost(client);
    };
    client.on('error', lost); // an unhandled 'error' event ends the program
    client.on('end', lost);
    client.on('notification', this.onAnnouncement);
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      this.wait = minWait;
      this.onAnnouncement(); // what was announced meanwhile is not repeated
    } catch {
      lost();
    }
  }

  private lost(client: pg.Client): void {
    if (this.client !== client) return; // reported already: an error is followed by an end
    this.client = null;
    client.end().catch(() => undefined);
    if (this.closed) return;
    // Up to twice as long, by chance: replicas that lost the same server do not all come back at once.
    this.timer = setTimeout(() => void this.connect(), this.wait * (1 + Math.random()));
    this.timer.unref();
    this.wait = Math.min(this.wait * 2, maxWait);
  }
}
