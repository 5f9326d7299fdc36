/** What this replica commits to the store: changes that clients ask for, consolidated rows, and rows that an adaptation found. */
import { Failure } from '../../core/failures.js';
import type { Logger } from '../observability/logger.js';
import type { CatchUp } from './catch-up.js';
import type { DraftedChange } from './change-queue.js';
import type { ConsolidatedRows } from './fitting/protocol.js';
import type { RegistryState } from './registry-state.js';
import type { AdaptationChange, ClassStore, Remembered } from './store/contract.js';
import { untilCommitted } from './until-committed.js';

export class Commits {
  constructor(
    private readonly state: RegistryState,
    private readonly store: ClassStore,
    private readonly catchUp: CatchUp,
    private readonly logger: Logger,
  ) {}

  /** Fits the changed classes, commits them, and serves them. False when the registry has moved on meanwhile. */
  async change({ remember, ...drafted }: DraftedChange): Promise<boolean> {
    const { state } = this;
    const { upserts, removals, examples, at } = drafted;
    // What the bundle cannot use is stored, and does not compete: there is nothing to fit.
    const described = upserts.map((content) => state.classes.runtimeClassAfter(content, examples));
    const notFitted = upserts.filter((_, i) => described[i] === null).map(({ name }) => name);
    const edits = {
      upserts: described.filter((one) => one !== null),
      removals: [...removals, ...notFitted],
    };
    const isEdit = upserts.length > 0 || removals.length > 0;
    const { rows, converged } = isEdit ? await state.fitting.fit(edits) : { rows: [], converged: true };
    if (!converged)
      this.logger.warn({ classes: state.classCount }, 'The fit of classes stopped before it converged.');
    const fitted = { bundle: state.bundle.identity, rows };
    const change = { ...drafted, rows: fitted, ...(remember && { remember }) };
    const result = await this.store.commit(change, state.position);
    if (result.kind === 'stale') return false;
    if (result.kind === 'repeated') throw answeredMeanwhile();
    const changed = [...rows, ...upserts].map(({ name }) => name);
    const made = { revision: result.position.revision, at };
    state.classes.applyCommit({ ...drafted, rows }, made);
    const groups = state.groups.applyCommit(drafted.groups, made);
    if (isEdit)
      state.fitting.adopt(() => ({ put: state.classes.runtimeClasses(changed), removed: edits.removals }));
    state.moveTo(result.position, { changed, removed: removals, groups });
    return true;
  }

  /** False when the registry has moved on since the rows were fitted. */
  async consolidated({ rows, base }: ConsolidatedRows, expectedRevision: number): Promise<boolean> {
    const { state } = this;
    if (state.revision !== expectedRevision) return false;
    const fitted = { bundle: state.bundle.identity, rows, base };
    const result = await this.store.commit({ rows: fitted }, state.position);
    if (result.kind !== 'committed') return false;
    state.applyRows(rows, result.position);
    state.applyBase(base);
    state.moveTo(result.position, { changed: rows.map(({ name }) => name), removed: [], base });
    return true;
  }

  /** Commits what `draft` makes of the registry as it is, if anything. Every replica, this one too, takes the rows from the store. */
  async adaptation(
    draft: () => Promise<AdaptationChange | null>,
    remember?: Remembered,
  ): Promise<{ readonly revision: number; readonly isCommitted: boolean }> {
    return untilCommitted(async () => {
      await this.catchUp.run();
      const adaptation = await draft();
      if (!adaptation) return { revision: this.state.revision, isCommitted: false };
      const change = { adaptation, ...(remember && { remember }) };
      const result = await this.store.commit(change, this.state.position);
      if (result.kind === 'repeated') throw answeredMeanwhile();
      if (result.kind !== 'committed') return null;
      await this.catchUp.run();
      return { revision: result.position.revision, isCommitted: true };
    });
  }
}

function answeredMeanwhile(): Failure {
  return new Failure(
    'conflict',
    'Another request with this Idempotency-Key was answered meanwhile. Send it again.',
  );
}
