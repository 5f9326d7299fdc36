/** What is filled in of classes whose attributes are not all known, as the fitting process estimates it. */
import type { Manifest } from '../../core/bundle/manifest.js';
import { Failure } from '../../core/failures.js';
import type { EstimatedAttributes } from '../../core/head/attribute-completion.js';
import type { ClassTable } from './class-table.js';
import type { FilledAttributes } from './contract.js';
import type { FittingProcess } from './fitting/fitting-process.js';
import type { UnfittedClass } from './fitting/protocol.js';

/** Estimates that are kept, of the classes that were asked for last. */
const maxKept = 1000;
/** How sure values are takes longer to find than the values: with more classes at a time it is left out. */
const maxWeighed = 50;

export class Filling {
  /** By name, with the revision of the class that they are of. */
  private readonly kept = new Map<string, { readonly revision: number; readonly filled: FilledAttributes }>();

  constructor(
    private readonly table: Pick<ClassTable, 'get' | 'partlyKnown'>,
    private readonly fitting: Pick<FittingProcess, 'estimate'>,
    private readonly manifest: Pick<Manifest, 'attributes'>,
  ) {}

  /** Of stored classes. A fitting process that is being replaced keeps no class from being shown. */
  async of(names: readonly string[]): Promise<(FilledAttributes | null)[]> {
    const revisions = names.map((name) => this.table.get(name)?.revision ?? 0);
    const found = names.map((name, i) => {
      const kept = this.kept.get(name);
      return kept?.revision === revisions[i] ? kept.filled : null;
    });
    const asked = names.flatMap((name, i) => {
      const described = found[i] ? null : this.table.partlyKnown(name);
      return described ? [{ i, described }] : [];
    });
    if (asked.length === 0) return found;
    try {
      const filled = await this.in(asked.map(({ described }) => described));
      asked.forEach(({ i, described: { name } }, position) => {
        found[i] = filled[position];
        if (filled[position]?.certainty) this.keep(name, revisions[i], filled[position]);
      });
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'fitting-unavailable')) throw error;
    }
    return found;
  }

  /** Of classes that may not be stored; null where all is known. */
  async in(candidates: readonly UnfittedClass[]): Promise<(FilledAttributes | null)[]> {
    const partly = candidates.filter(({ attributes }) => attributes.some(Number.isNaN));
    if (partly.length === 0) return candidates.map(() => null);
    const isWeighed = partly.length <= maxWeighed;
    const estimates = await this.fitting.estimate(partly, isWeighed);
    const byCandidate = new Map(partly.map((one, i) => [one, this.shown(estimates[i], isWeighed)]));
    return candidates.map((one) => byCandidate.get(one) ?? null);
  }

  private shown({ values, known, errors }: EstimatedAttributes, isWeighed: boolean): FilledAttributes {
    const missing = this.manifest.attributes.flatMap(({ name }, k) => (known[k] ? [] : [{ name, k }]));
    const filled = Object.fromEntries(missing.map(({ name, k }) => [name, values[k]]));
    if (!isWeighed) return { filled };
    const certainty = missing.map(({ name, k }) => [name, Math.round(1000 * (1 - errors[k])) / 1000]);
    return { filled, certainty: Object.fromEntries(certainty) as Record<string, number> };
  }

  private keep(name: string, revision: number, filled: FilledAttributes): void {
    this.kept.delete(name);
    this.kept.set(name, { revision, filled });
    if (this.kept.size > maxKept) this.kept.delete(this.kept.keys().next().value!);
  }
}
