/**
 * The replicas that share a registry, and what each of them answers pictures with. A replica reports itself from time to time; one that
 * has been silent for a while counts as gone. Times are the database's own, because the clocks of replicas may differ.
 */
import type { StoreAccess } from './access.js';
import type { Query } from './database.js';
import { Unreachable } from './database.js';

/** What one replica says of itself. */
export interface ReplicaReport {
  readonly id: string;
  /** For the log. */
  readonly host: string;
  /** The model that it serves: only replicas of one model are compared. */
  readonly bundle: string;
  /** The network that makes its features: a name for people, and the hash of its file. */
  readonly network: string;
  readonly networkHash: string;
  /** What that network gives for the built-in pictures. */
  readonly fingerprint: Uint8Array;
}

/** What the server knows of the replicas beside it. */
export interface Replicas {
  /** Stores the report and answers that of the replica which has served the same model longest: perhaps this one. Null: nothing can be written. */
  report(replica: ReplicaReport): Promise<ReplicaReport | null>;
  /** So that nobody is compared with a replica that has stopped. */
  leave(id: string): Promise<void>;
}

/** Several times as long as between two reports of a replica. */
const silentMilliseconds = 60_000;
const forgottenMilliseconds = 60 * silentMilliseconds;

interface Found {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly host: string;
  readonly network: string;
  readonly network_hash: string;
  readonly fingerprint: ArrayBuffer | Uint8Array;
}

export class ReplicaTable implements Replicas {
  constructor(
    private readonly access: StoreAccess,
    /** The time of the database, in milliseconds since 1970, in SQL. */
    private readonly now: string,
  ) {}

  async report(replica: ReplicaReport): Promise<ReplicaReport | null> {
    // While changes cannot be stored, the write probe alone decides when they can: a report is smaller than a change.
    if (this.access.writing.state.kind === 'down') return null;
    try {
      return await this.access.run('write', (query) => this.reportIn(query, replica));
    } catch (error) {
      if (error instanceof Unreachable) return null; // the store's state says it
      throw error;
    }
  }

  async leave(id: string): Promise<void> {
    if (this.access.writing.state.kind === 'down' || this.access.health.state.kind === 'down') return;
    await this.access
      .run('write', (query) => query('DELETE FROM replicas WHERE id = ?', [id]))
      .catch((error: unknown) => {
        if (!(error instanceof Unreachable)) throw error; // others notice the silence
      });
  }

  private async reportIn(query: Query, replica: ReplicaReport): Promise<ReplicaReport> {
    const { id, host, bundle, network, networkHash, fingerprint } = replica;
    const { now } = this;
    const same = await query(
      `UPDATE replicas SET seen_at = ${now} WHERE id = ? AND bundle = ? AND network_hash = ? AND fingerprint = ? RETURNING id`,
      [id, bundle, networkHash, fingerprint],
    );
    if (same.length === 0) {
      await query(`DELETE FROM replicas WHERE id = ? OR seen_at < ${now} - ${forgottenMilliseconds}`, [id]);
      await query(
        `INSERT INTO replicas (id, host, bundle, network, network_hash, fingerprint, since, seen_at)
         VALUES (?, ?, ?, ?, ?, ?, ${now}, ${now})`,
        [id, host, bundle, network, networkHash, fingerprint],
      );
    }
    const [oldest] = await query<Found>(
      `SELECT id, host, network, network_hash, fingerprint FROM replicas
       WHERE bundle = ? AND seen_at >= ${now} - ${silentMilliseconds} ORDER BY since, id LIMIT 1`,
      [bundle],
    );
    return {
      id: oldest.id,
      host: oldest.host,
      bundle,
      network: oldest.network,
      networkHash: oldest.network_hash,
      fingerprint: new Uint8Array(oldest.fingerprint),
    };
  }
}
