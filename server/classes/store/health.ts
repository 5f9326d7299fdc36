/** Whether the store can be reached, and who wants to know. */
import { Failure } from '../../../core/failures.js';
import type { StoreState, Unsubscribe } from './contract.js';

export class Listeners<T> {
  private readonly listeners = new Set<(value: T) => void>();

  add(listener: (value: T) => void): Unsubscribe {
    const entry = (value: T): void => {
      listener(value);
    };
    this.listeners.add(entry); // an entry of its own: the same function may listen twice
    return () => {
      this.listeners.delete(entry);
    };
  }

  emit(value: T): void {
    // Later, so that what a listener throws does not turn a commit that succeeded into a failure.
    for (const listener of this.listeners) setImmediate(listener, value);
  }
}

export class Health {
  private current: StoreState = { kind: 'up' };
  readonly changes = new Listeners<StoreState>();

  get state(): StoreState {
    return this.current;
  }

  up(): void {
    if (this.current.kind === 'down') this.become({ kind: 'up' });
  }

  down(reason: string): void {
    if (this.current.kind === 'up') this.become({ kind: 'down', reason, since: Date.now() });
  }

  /** Without asking the database: each asker would otherwise wait until its own attempt times out. */
  assertUp(): void {
    if (this.current.kind === 'down')
      throw new Failure('registry-unavailable', this.current.reason, { retryAfterSeconds: 1 });
  }

  private become(state: StoreState): void {
    this.current = state;
    this.changes.emit(state);
  }
}
