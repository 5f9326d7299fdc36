/**
 * Requests to change classes, one commit after another. Those that wait while one is under way are taken together into the
 * next; one that must be remembered has a commit of its own.
 */
import { Failure } from '../../core/failures.js';
import type { ChangeResult, ClassChange, ClassOutcome, KnownClass, Remembering } from './contract.js';
import { Draft } from './draft.js';
import type { ClassContent, Remembered } from './store/contract.js';

export interface DraftedChange {
  readonly upserts: readonly ClassContent[];
  readonly removals: readonly string[];
  readonly at: number;
  readonly remember?: Remembered;
}

/** What the queue needs of the registry. */
export interface ChangeTarget {
  readonly revision: number;
  get(name: string): KnownClass | undefined;
  /** Learns what others have changed. */
  catchUp(): Promise<void>;
  /** False when the registry has moved on meanwhile. */
  commit(change: DraftedChange): Promise<boolean>;
}

interface Request {
  readonly changes: readonly ClassChange[];
  readonly remembering: Remembering | undefined;
  readonly resolve: (result: ChangeResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Of replicas that race for the same revision all but one start over; so many times in a row is a fault. */
const mostAttempts = 50;

export class ChangeQueue {
  private readonly waiting: Request[] = [];

  constructor(private readonly target: ChangeTarget) {}

  /** Waits for its turn: call `serve` for that. */
  add(changes: readonly ClassChange[], remembering?: Remembering): Promise<ChangeResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ changes, remembering, resolve, reject });
    });
  }

  async serve(): Promise<void> {
    if (this.waiting.length === 0) return; // an earlier turn took it along
    const alone = this.waiting.findIndex(({ remembering }) => remembering);
    const taken = this.waiting.splice(0, alone < 0 ? this.waiting.length : Math.max(1, alone));
    try {
      for (let attempt = 0; attempt < mostAttempts; attempt++) {
        await this.target.catchUp();
        if (await this.attempt(taken)) return;
      }
      throw new Failure(
        'registry-unavailable',
        'Other replicas change the registry all the time. Try again.',
        {
          retryAfterSeconds: 1,
        },
      );
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
  }

  private async attempt(requests: readonly Request[]): Promise<boolean> {
    const at = Date.now();
    const draft = new Draft((name) => this.target.get(name), at);
    const accepted = requests.flatMap((request) => {
      try {
        return [{ request, outcomes: draft.apply(request.changes) }];
      } catch (error) {
        request.reject(error);
        return [];
      }
    });
    if (accepted.length === 0) return true;
    const { remembering } = accepted[0].request;
    const next = this.target.revision + 1;
    const isChange = !draft.isEmpty || remembering !== undefined;
    const remember = remembering && {
      key: remembering.key,
      requestHash: remembering.requestHash,
      answer: remembering.answer({ outcomes: stored(accepted[0].outcomes, next), revision: next }),
    };
    const upserts = [...draft.upserts.values()];
    const change = { upserts, removals: [...draft.removals], at, ...(remember && { remember }) };
    if (isChange && !(await this.target.commit(change))) return false;
    const { revision } = this.target;
    for (const { request, outcomes } of accepted)
      request.resolve({ outcomes: stored(outcomes, revision), revision });
    return true;
  }
}

function stored(outcomes: readonly ClassOutcome[], revision: number): ClassOutcome[] {
  return outcomes.map(({ kind, known }) =>
    kind === 'created' || kind === 'replaced' ? { kind, known: { ...known, revision } } : { kind, known },
  );
}
