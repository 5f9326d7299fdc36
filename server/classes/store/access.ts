/** The way to the database: in turns, repeating what is safe to repeat, and not at all while it is out of reach. */
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../../core/failures.js';
import { Unreachable, type Database, type Mode, type Query } from './database.js';
import { Health } from './health.js';
import { Turns } from './turns.js';

/** For how long a commit whose answer was lost is asked about, before the caller hears that nobody knows. */
const outcomePatience = 5_000;

export class Access {
  readonly health = new Health();
  private readonly turns: Turns;
  private closed = false;

  constructor(
    private readonly database: Database,
    private readonly description: string,
  ) {
    this.turns = new Turns(database.connections);
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
    await this.turns.take(() => this.database.close());
  }

  private attempt<T>(mode: Mode, work: (query: Query) => Promise<T>, evenWhenDown: boolean): Promise<T> {
    // Checked when the turn has come: whoever waited behind a call that timed out must not time out as well.
    return this.turns.take(async () => {
      if (this.closed) throw new Failure('registry-unavailable', `${this.description} was closed.`);
      if (!evenWhenDown) this.health.assertUp();
      try {
        const result = await this.database.transaction(mode, work);
        this.health.up();
        return result;
      } catch (error) {
        const isDead = error instanceof Unreachable && error.because === 'no-connection';
        const isUnusable = error instanceof Failure && error.code === 'registry-invalid';
        if (isDead || isUnusable) this.health.down(error.message);
        throw error;
      }
    });
  }
}

function unknownOutcome(error: Unreachable): Failure {
  const message = `${error.message} Whether the change was stored is not known; repeating it with its id is safe.`;
  return new Unreachable(message, 'lost-outcome', { cause: error });
}
