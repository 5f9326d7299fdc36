/**
 * What only one of the replicas that share a registry does at a time, and not more often than asked for. A holder that dies is
 * succeeded when its time is up. Times are the database's own, because the clocks of replicas may differ.
 */
import type { StoreAccess } from './access.js';

interface LeaseTerms {
  /** Nobody else gets the lease for so long, unless it is given back. */
  readonly holdMilliseconds: number;
  /** Since it was last done: earlier, nobody gets it. */
  readonly everyMilliseconds: number;
}

export interface Leases {
  /** Whether this holder is to do it now. */
  acquire(name: string, holder: string, terms: LeaseTerms): Promise<boolean>;
  /** Gives it back; `done`: not again before its time. */
  release(name: string, holder: string, done: boolean): Promise<void>;
}

export class LeaseTable implements Leases {
  constructor(
    private readonly access: StoreAccess,
    /** The time of the database, in milliseconds since 1970, in SQL. */
    private readonly now: string,
  ) {}

  acquire(name: string, holder: string, terms: LeaseTerms): Promise<boolean> {
    const { holdMilliseconds, everyMilliseconds } = terms;
    const { now } = this;
    return this.access.run('write', async (query) => {
      const granted = await query(
        `INSERT INTO leases (name, holder, held_until, done_at) VALUES (?, ?, ${now} + ?, 0)
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
         WHERE (leases.holder = excluded.holder OR leases.held_until < ${now}) AND leases.done_at <= ${now} - ?
         RETURNING name`,
        [name, holder, holdMilliseconds, everyMilliseconds],
      );
      return granted.length > 0;
    });
  }

  async release(name: string, holder: string, done: boolean): Promise<void> {
    const doneAt = done ? this.now : 'done_at';
    await this.access.run('write', (query) =>
      query(`UPDATE leases SET held_until = 0, done_at = ${doneAt} WHERE name = ? AND holder = ?`, [
        name,
        holder,
      ]),
    );
  }
}
