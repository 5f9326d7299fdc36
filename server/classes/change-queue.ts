/**
 * Requests to change classes, one commit after another. Those that wait during a commit share the next one, unless they change the
 * same class: every change that is acknowledged becomes a version of its own. A request with an Idempotency-Key has a commit of its
 * own.
 */
import type { ChangeOptions, ChangeResult, RegistryChange } from './contract.js';
import { Draft, type Drafted } from './draft.js';
import type { StoredClasses } from './drafted-classes.js';
import type { StoredGroups } from './drafted-groups.js';
import type { ExampleLimits } from './drafted-examples.js';
import { untilCommitted } from './until-committed.js';
import type { RegistryCommit, ClassContent, ExampleChanges, Remembered } from './store/contract.js';

export interface DraftedChange {
  readonly upserts: readonly ClassContent[];
  readonly removals: readonly string[];
  readonly examples: ExampleChanges;
  readonly groups: NonNullable<RegistryCommit['groups']>;
  /** Who changes it, by the name of the class. */
  readonly authors: ReadonlyMap<string, string>;
  readonly at: number;
  readonly remember?: Remembered;
}

/** What the queue needs of the registry. */
interface ChangeTarget {
  readonly state: {
    readonly revision: number;
    readonly classes: StoredClasses;
    readonly groups: StoredGroups;
  };
  /** Reads what other replicas have changed. */
  catchUp(): Promise<void>;
  /** False when the registry has moved on meanwhile. */
  commit(change: DraftedChange): Promise<boolean>;
}

interface Request {
  readonly changes: readonly RegistryChange[];
  readonly options: ChangeOptions;
  readonly resolve: (result: ChangeResult) => void;
  readonly reject: (error: unknown) => void;
}

export class ChangeQueue {
  private readonly waiting: Request[] = [];

  constructor(
    private readonly target: ChangeTarget,
    private readonly limits: ExampleLimits,
  ) {}

  /** Waits for its turn: call `serve` for that. */
  add(changes: readonly RegistryChange[], options: ChangeOptions = {}): Promise<ChangeResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ changes, options, resolve, reject });
    });
  }

  async serve(): Promise<void> {
    if (this.waiting.length === 0) return; // an earlier turn has served it
    const alone = this.waiting.findIndex(({ options }) => options.remembering);
    const group = this.waiting.splice(0, alone < 0 ? this.waiting.length : Math.max(1, alone));
    try {
      await untilCommitted(async () => {
        await this.target.catchUp();
        return (await this.attempt(group)) || null;
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  private async attempt(requests: readonly Request[]): Promise<boolean> {
    const at = Date.now();
    const draft = new Draft(this.target.state.classes, this.target.state.groups, at, this.limits);
    const end = withoutOverlap(requests);
    const accepted = requests.slice(0, end).flatMap((request) => {
      try {
        return [{ request, drafted: draft.apply(request.changes, request.options.by) }];
      } catch (error) {
        request.reject(error);
        return [];
      }
    });
    if (accepted.length > 0 && !(await this.commit(draft, accepted, at))) return false;
    this.waiting.unshift(...requests.slice(end)); // each has asked for a turn of its own, which is still to come
    return true;
  }

  private async commit(
    draft: Draft,
    accepted: readonly { readonly request: Request; readonly drafted: Drafted }[],
    at: number,
  ): Promise<boolean> {
    const { remembering } = accepted[0].request.options;
    const next = this.target.state.revision + 1;
    const isChange = !draft.isEmpty || remembering !== undefined;
    const remember = remembering && {
      key: remembering.key,
      requestHash: remembering.requestHash,
      answer: remembering.answer(stored(accepted[0].drafted, next)),
    };
    const change = { ...draft.changes(), at, ...(remember && { remember }) };
    if (isChange && !(await this.target.commit(change))) return false;
    const { revision } = this.target.state;
    for (const { request, drafted } of accepted) request.resolve(stored(drafted, revision));
    return true;
  }
}

function stored({ outcomes, groups }: Drafted, revision: number): ChangeResult {
  const isStored = (kind: string): boolean => kind !== 'removed' && kind !== 'unchanged';
  return {
    outcomes: outcomes.map((outcome) =>
      isStored(outcome.kind) ? { ...outcome, known: { ...outcome.known, revision } } : outcome,
    ),
    groups: groups.map((outcome) =>
      isStored(outcome.kind) ? { ...outcome, group: { ...outcome.group, revision } } : outcome,
    ),
    revision,
  };
}

/** How many requests from the first on change no class twice. */
function withoutOverlap(requests: readonly Request[]): number {
  const taken = new Set<string>();
  const end = requests.findIndex(({ changes }) => {
    const names = changes.map(subjectOf);
    if (names.some((name) => taken.has(name))) return true;
    for (const name of names) taken.add(name);
    // A class that is removed leaves its groups: what one request answers of a group, another must not undo in the same commit.
    if (changes.some(({ kind }) => kind === 'remove' || kind.endsWith('-group'))) {
      if (taken.has(anyGroup)) return true;
      taken.add(anyGroup);
    }
    return false;
  });
  return end < 0 ? requests.length : end;
}

const anyGroup = 'groups';

function subjectOf(change: RegistryChange): string {
  const name = 'content' in change ? change.content.name : change.name;
  return `${change.kind.endsWith('-group') ? 'group' : 'class'} ${name}`;
}
