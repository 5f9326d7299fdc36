/** Reading what the store has and this replica has not: at the start all of it, then what other replicas have committed. */
import type { Logger } from '../observability/logger.js';
import type { RegistryState, RegistryStep } from './registry-state.js';
import type { ClassStore, Position } from './store/contract.js';

export class CatchUp {
  constructor(
    private readonly state: RegistryState,
    private readonly store: ClassStore,
    private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    const { state } = this;
    if (state.position.commit === '') return this.reload();
    const changes = await this.store.changesSince(state.position, state.bundle.identity);
    if (changes.kind === 'unknown-position') return this.reload();
    if (changes.position.revision === state.revision) return this.fitMissing();
    state.classes.applyStored(changes.changed, changes.removed, changes.examples);
    const groups = state.groups.apply(changes.groups);
    await this.afterReading(changes.position, {
      adapted: changes.adapted ? state.rows.applyAdapted(changes.adapted) : [],
      changed: changes.changed.map(({ name }) => name),
      removed: changes.removed,
      base: changes.base,
      groups,
    });
  }

  async reload(): Promise<void> {
    const { state } = this;
    const { position, classes, base, examples, groups, adapted } = await this.store.load(
      state.bundle.identity,
    );
    const changed = classes.map(({ name }) => name);
    const present = new Set(changed);
    const removed = state.classes.names().filter((name) => !present.has(name));
    state.classes.applyStored(classes, removed, examples);
    state.groups.replaceAll(groups);
    const step = { changed, removed, base, groups: true, adapted: state.rows.applyAdapted(adapted) };
    await this.afterReading(position, step);
  }

  private async afterReading(position: Position, step: RegistryStep): Promise<void> {
    const { state } = this;
    state.applyBase(step.base ?? []);
    const notFitted = state.classes.notFitted(step.changed);
    const removed = [...step.removed, ...notFitted];
    state.fitting.mirror({ put: state.classes.runtimeClasses(step.changed), removed });
    for (const { name, unusable } of state.classes.unusable())
      this.logger.warn({ class: name, unusable }, 'A stored class cannot be used with this bundle.');
    state.moveTo(position, step);
    await this.fitMissing();
  }

  /**
   * Classes that have no row for this bundle (it is new, or another bundle's replica added them) get one. If that fails, the next
   * attempt to catch up tries again.
   */
  private async fitMissing(): Promise<void> {
    const { state } = this;
    const missing = state.classes.withoutRow();
    if (missing.length === 0) return;
    this.logger.info({ classes: missing.length }, 'Fitting stored classes to this bundle.');
    const { rows } = await state.fitting.fit({ upserts: missing, removals: [] });
    const fitted = { bundle: state.bundle.identity, rows };
    const result = await this.store.commit({ rows: fitted }, state.position);
    if (result.kind !== 'committed') return this.run();
    const changed = rows.map(({ name }) => name);
    state.applyRows(rows, result.position);
    state.fitting.adopt(() => ({ put: state.classes.runtimeClasses(changed), removed: [] }));
    state.moveTo(result.position, { changed, removed: [] });
  }
}
