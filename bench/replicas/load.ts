/** Pictures at a constant rate through the typed client, and new classes at intervals; records every failure with its reason. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnseenClient, UnseenProblem, type NewClass } from '../../client/index.js';

interface Failed {
  readonly what: string;
  readonly reason: string;
  /** Seconds after the load began. */
  readonly at: number;
}

interface TrafficOptions {
  readonly url: string;
  readonly key: string;
  readonly pictures: readonly Uint8Array[];
  readonly perSecond: number;
  readonly classes: readonly NewClass[];
  /** Between two classes. */
  readonly classSeconds: number;
}

export class Load {
  readonly milliseconds: number[] = [];
  readonly classMilliseconds: number[] = [];
  readonly failed: Failed[] = [];
  readonly added: string[] = [];
  private readonly started = performance.now();
  private readonly pending = new Set<Promise<void>>();
  private readonly loops: Promise<void>[];
  private running = true;

  constructor(private readonly options: TrafficOptions) {
    this.loops = [this.sendPictures(), this.addClasses()];
  }

  /** Resolves when everything that was sent is answered. */
  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.loops);
    await Promise.all(this.pending);
  }

  get sent(): number {
    return this.milliseconds.length + this.failed.length;
  }

  private async sendPictures(): Promise<void> {
    const { url, pictures, perSecond } = this.options;
    const client = new UnseenClient({ url, retries: 0 }); // failures must be counted, not retried
    for (let sent = 0; this.running; sent++) {
      const due = (1000 * sent) / perSecond - (performance.now() - this.started);
      if (due > 0) await sleep(due);
      const picture = pictures[sent % pictures.length];
      const answered = this.time('a picture', this.milliseconds, () => client.classify(picture, { topK: 5 }));
      this.pending.add(answered);
      void answered.then(() => this.pending.delete(answered));
    }
  }

  private async addClasses(): Promise<void> {
    const { url, key, classes, classSeconds } = this.options;
    for (const one of classes) {
      // One idempotency key for each class, so that the proxy may retry the request.
      const headers = { 'idempotency-key': randomUUID() };
      const withKey: typeof fetch = (input, init) =>
        fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), ...headers } });
      const client = new UnseenClient({ url, key, retries: 0, fetch: withKey });
      await this.time(`class ${one.name}`, this.classMilliseconds, async () => {
        await client.createClass(one);
        this.added.push(one.name);
      });
      for (let waited = 0; this.running && waited < classSeconds; waited += 0.1) await sleep(100);
      if (!this.running) return;
    }
  }

  private async time(what: string, times: number[], work: () => Promise<unknown>): Promise<void> {
    const started = performance.now();
    try {
      await work();
      times.push(performance.now() - started);
    } catch (error) {
      const reason =
        error instanceof UnseenProblem
          ? `${error.status ?? 'no answer'} ${error.code}: ${error.detail}`
          : String(error);
      this.failed.push({ what, reason, at: (started - this.started) / 1000 });
    }
  }
}
