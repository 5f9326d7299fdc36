/** What adaptation works on, in the space that the head sees. C classes, D feature values. */
import type { PictureKnowledge } from '../fitting/rows/move-to-pictures.js';
import type { AssignedPictures } from '../fitting/runtime-class.js';
import type { RowSource } from '../matrix.js';
import type { GuardRows } from './guard-rows.js';

export interface CompetingPrototype {
  readonly name: string;
  readonly seen: boolean;
  /** Position among the bundle's classes; null for a class that the bundle has not. */
  readonly label: number | null;
  readonly prototype: Float32Array; // (D), of unit length
  /** What the class's score is raised by, in units of the cosine. */
  readonly bias: number;
  /** Labelled pictures behind the prototype, to which the assigned ones are added. */
  readonly labelled: AssignedPictures | null;
  /** Where attributes alone put it: (D), of unit length. */
  readonly attributed: Float32Array;
  /** The share of its attributes that is known. */
  readonly knownShare: number;
}

export interface AdaptationInput extends PictureKnowledge {
  readonly pool: RowSource; // (N, D); of unit length, unless they are stored rows, which are scaled as they are read
  readonly classes: readonly CompetingPrototype[];
  readonly guard: GuardRows;
  /** Length of a class mean of unit rows. */
  readonly meanLength: number;
}
