/** What fitting is given, and what it returns. */
import type { HeadRow } from '../head/head-table.js';
import type { Matrix } from '../matrix.js';

/**
 * What is known of a class: attributes, all or some, in the units of the bundle's own classes; labelled pictures, none or many. A class
 * of the bundle itself may be given by its name, with its attributes, when pictures of it were added: it is then refitted.
 */
export interface RuntimeClass {
  readonly name: string;
  /** In the bundle's order; NaN where a value is not known. */
  readonly attributes: readonly number[];
  /** Features of labelled pictures, as the bundle's network extracts them (not mapped): (n, features). */
  readonly examples?: Matrix;
  /** What unlabelled pictures say of it, as an adaptation found it (core/adaptation). */
  readonly assigned?: AssignedPictures;
  /** As an earlier fit returned it; a class without one is new. */
  readonly row?: HeadRow;
}

/** Unlabelled pictures that were assigned to a class: all that an adaptation keeps of them. */
export interface AssignedPictures {
  /** Their mean, weighted by how much of each belongs to the class, of rows as the head sees them and of unit length: (D). */
  readonly mean: Float32Array;
  /** As how many labelled pictures they count; need not be whole. */
  readonly pictures: number;
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
