/** What fitting is given, and what it returns. */
import type { HeadRow } from '../head/head-table.js';

/** A class known by its attributes alone, in the units of the bundle's own classes. */
export interface RuntimeClass {
  readonly name: string;
  readonly attributes: readonly number[];
  /** As an earlier fit returned it; a class without one is new. */
  readonly row?: HeadRow;
}

export type FittedClass = RuntimeClass & { readonly row: HeadRow };

export interface RuntimeFit {
  /** In the order in which the classes were given; a row that hardly moved is the very object that was given. */
  readonly rows: readonly HeadRow[];
  /** Positions of the rows that are new or differ from those given: all that has to be stored again. */
  readonly changed: readonly number[];
  readonly evaluations: number;
  readonly converged: boolean;
}

export interface FitOptions {
  /** How far scores may be from those of the exact minimum (distances in solver/solve.ts); a row that would move less stays as it is. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
}
