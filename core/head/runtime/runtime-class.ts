/** What fitting takes and answers. */

/** A class known by its attributes alone, in the units of the bundle's own classes. */
export interface RuntimeClass {
  readonly name: string;
  readonly attributes: readonly number[];
  /** As an earlier fit answered it; a class without one is new. */
  readonly row?: FittedRow;
}

/** One row of the head. */
export interface FittedRow {
  readonly weights: Float32Array; // (D)
  readonly bias: number;
}

export interface RuntimeFit {
  /** In the order in which the classes were given; a row that hardly moved is the very object handed in. */
  readonly rows: readonly FittedRow[];
  /** Positions of the rows that are new or differ from those handed in: all that has to be stored again. */
  readonly changed: readonly number[];
  readonly evaluations: number;
  readonly converged: boolean;
}
