/** The way to the database: in turns, repeating what is safe to repeat, and not at all while it is out of reach. */
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../../core/failures.js';
import { limiter, type Limiter } from '../../../core/limiter.js';
import { Unreachable, type Database, type Mode, type Query, type WriteTrouble } from './database.js';
import { Health } from './health.js';

/** For how long a commit whose answer was lost is asked about, before the caller is answered that the outcome is unknown. */
const outcomePatience = 5_000;

export class StoreAccess {
  readonly health = new Health();
  /** Of writing alone: a full disk can still be read. */
  readonly writing = new Health();
  private readonly inTurn: Limiter;
  private closed = false;

  constructor(
    private readonly database: Database,
    private readonly description: string,
  ) {
    this.inTurn = limiter(database.connections);
  }

  /** A probe asks even while the store is down: the way back up. */
  async run<T>(mode: Mode, work: (query: Query) => Promise<T>, isProbe = false): Promise<T> {
    const patientUntil = Date.now() + outcomePatience;
    let outcomeLost = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.attempt(mode, work, isProbe || outcomeLost);
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        outcomeLost ||= error.because === 'lost-outcome';
        // Reading may go on, and nothing was changed: another connection would be told the same.
        if (error.writeTrouble !== undefined && mode === 'write' && !outcomeLost) throw error;
        if (attempt === 0 && error.because !== 'no-connection') continue; // a new connection may do
        this.health.down(error.message);
        if (!outcomeLost) throw error;
        if (Date.now() > patientUntil) throw unknownOutcome(error);
        await delay(100);
      }
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.inTurn(() => this.database.close());
  }

  private attempt<T>(mode: Mode, work: (query: Query) => Promise<T>, evenWhenDown: boolean): Promise<T> {
    // Checked when the turn has come: whoever waited behind a call that timed out must not time out as well.
    return this.inTurn(async () => {
      if (this.closed) throw new Failure('registry-unavailable', `${this.description} was closed.`);
      if (!evenWhenDown) this.health.assertUp();
      try {
        const result = await this.database.transaction(mode, work);
        this.health.up();
        if (mode === 'write') this.writing.up();
        return result;
      } catch (error) {
        const trouble = mode === 'write' && error instanceof Unreachable ? error.writeTrouble : undefined;
        if (trouble !== undefined) {
          this.writing.down(writeTroubles[trouble]);
          throw error;
        }
        const isDead = error instanceof Unreachable && error.because === 'no-connection';
        const isUnusable = error instanceof Failure && error.code === 'registry-invalid';
        if (isDead || isUnusable) this.health.down(error.message);
        throw error;
      }
    });
  }
}

/** For whoever asks how the server is: without the name of the file or the host, which the log has. */
const writeTroubles: Readonly<Record<WriteTrouble, string>> = {
  full: 'the disk of the class registry is full',
  'read-only': 'the class registry is read-only',
  denied: 'the class registry may only be read by this user',
  'disk-errors': 'the disk of the class registry reports errors',
};

function unknownOutcome(error: Unreachable): Failure {
  const message = `${error.message} Whether the change was stored is not known; repeating it with its id is safe.`;
  return new Unreachable(message, 'lost-outcome', { cause: error });
}
