/**
 * While writing fails, writes something from time to time and so finds out when it works again: until then no change is attempted
 * for hours. It writes as much as the change that failed needed: on a full disk a few bytes often still fit.
 */
import { randomFillSync } from 'node:crypto';
import type { StoreAccess } from './access.js';
import type { RegistryCommit } from './contract.js';

/** A commit touches a page or two of every table and index, however little it stores. */
const overheadBytes = 128 * 1024;
const maxBytes = 16 * 1024 * 1024;

export class WriteProbe {
  private bytes = overheadBytes;
  private timer: NodeJS.Timeout | undefined;
  private probing: Promise<void> | null = null;
  private closed = false;

  constructor(
    private readonly access: StoreAccess,
    private readonly milliseconds: number,
  ) {
    access.writing.changes.add(({ kind }) => {
      if (kind === 'down') this.schedule();
      else this.bytes = overheadBytes;
    });
  }

  /** A change of this size could not be written. */
  onFailure(change: RegistryCommit): void {
    this.bytes = Math.min(maxBytes, Math.max(this.bytes, overheadBytes + 2 * sizeOf(change)));
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.probing;
  }

  private schedule(): void {
    if (this.closed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.probing = this.probe().finally(() => {
        this.probing = null;
        if (this.access.writing.state.kind === 'down') this.schedule();
      });
    }, this.milliseconds);
    this.timer.unref();
  }

  private async probe(): Promise<void> {
    if (this.access.writing.state.kind === 'up') return;
    // Random: a database that compresses what it stores would need next to no space for zeros.
    const bytes = randomFillSync(new Uint8Array(this.bytes));
    try {
      await this.access.run('write', (query) =>
        query(
          'INSERT INTO write_probe (one, bytes) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET bytes = excluded.bytes',
          [bytes],
        ),
      );
      await this.access.run('write', (query) => query('DELETE FROM write_probe'));
    } catch {
      // the store's state says it
    }
  }
}

function sizeOf({ upserts = [], rows, examples, adaptation, remember }: RegistryCommit): number {
  const content = JSON.stringify([upserts, remember ?? null]).length;
  const adapted = adaptation?.kind === 'adapt' ? adaptation.rows : [];
  const all = [...(rows?.rows ?? []), ...(rows?.base ?? []), ...adapted];
  const features = (examples?.added ?? []).reduce((sum, one) => sum + one.features.byteLength, 0);
  return all.reduce((sum, { weights }) => sum + weights.byteLength, content + features);
}
