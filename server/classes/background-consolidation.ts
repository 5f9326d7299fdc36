/**
 * Consolidation: after many additions all rows are refitted together, the bundle's own too, in a process of its own, so that
 * changes need not wait for it. The result is stored when it measures better and nothing has changed meanwhile.
 */
import { maxConsolidatedClasses } from '../../core/fitting/consolidation.js';
import { auditedRevisions } from '../http/audit.js';
import type { Logger } from '../observability/logger.js';
import { ConsolidationTrigger } from './consolidation-trigger.js';
import type { FittingProcess } from './fitting/fitting-process.js';
import type { ConsolidatedRows } from './fitting/protocol.js';

/** What it needs of the registry. */
interface ConsolidationTarget {
  readonly state: {
    readonly revision: number;
    /** Of the bundle and added ones together. */
    readonly classCount: number;
    /** With all classes as they are. */
    newFitting(): Pick<FittingProcess, 'consolidate' | 'close'>;
  };
  /** False when the registry is no longer at that revision. */
  commit(rows: ConsolidatedRows, expectedRevision: number): Promise<boolean>;
}

interface ConsolidationOptions {
  /** 0: never. */
  readonly afterAdditions: number;
  readonly quietSeconds: number;
  readonly logger: Logger;
}

export class BackgroundConsolidation {
  private readonly trigger: ConsolidationTrigger;
  private fitting: Pick<FittingProcess, 'close'> | null = null;
  private hasSaidTooMany = false;

  constructor(
    private readonly target: ConsolidationTarget,
    private readonly options: ConsolidationOptions,
  ) {
    const { afterAdditions, quietSeconds, logger } = options;
    this.trigger = new ConsolidationTrigger(afterAdditions, quietSeconds, () => {
      this.run().catch((error: unknown) => {
        logger.warn(
          { err: error },
          'The consolidation of classes failed; keeping the current class weights.',
        );
      });
    });
  }

  onAdditions(count: number): void {
    this.trigger.added(count);
  }

  close(): void {
    this.trigger.close();
    this.fitting?.close();
  }

  private async run(): Promise<void> {
    const { revision, classCount } = this.target.state;
    if (classCount > maxConsolidatedClasses) {
      if (!this.hasSaidTooMany)
        this.options.logger.info(
          { classes: classCount, most: maxConsolidatedClasses },
          'There are too many classes to fit all of them together: each keeps the weights that it was added with.',
        );
      this.hasSaidTooMany = true;
      return;
    }
    const fitting = this.target.state.newFitting();
    this.fitting = fitting;
    try {
      const consolidated = await fitting.consolidate();
      const { before, after, isBetter } = consolidated;
      this.options.logger.info(
        { before, after, isBetter, revision },
        'All class weights were refitted together.',
      );
      if (!isBetter) return;
      if (!(await this.target.commit(consolidated, revision))) {
        this.trigger.again();
        return;
      }
      const rows = consolidated.rows.length + consolidated.base.length;
      const facts = { ...auditedRevisions(true, revision + 1), rows, before, after };
      this.options.logger.info(
        { audit: true, who: 'consolidate-after', what: 'consolidate', ...facts },
        'All class weights were replaced by those that were fitted together.',
      );
    } finally {
      fitting.close();
      this.fitting = null;
    }
  }
}
