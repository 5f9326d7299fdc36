import type { BackboneIdentity } from '../../core/backbone/identity.js';
import type { AttributeNote } from '../../core/bundle/manifest.js';
import type { Matrix, RowSource } from '../../core/matrix.js';

/**
 * What the trainer knows of a dataset, whatever file format it came from.
 * C classes, d attributes, D feature values; every index is 0-based.
 */
export interface Dataset {
  readonly name: string;
  readonly classNames: readonly string[]; // C
  readonly attributeNames: readonly string[]; // d
  readonly attributes: Matrix; // (C, d)
  /** What attributes are, for people. */
  readonly attributeNotes?: readonly (AttributeNote | null)[]; // d
  readonly features: RowSource; // (rows, D), in memory or on disk
  readonly labels: Int32Array; // (rows), an index into classNames
  readonly imageFiles: readonly string[] | null; // (rows), where the features came from
  /** The folder that imageFiles are relative to, when the dataset says. */
  readonly imageFolder?: string | null;
  readonly splits: DatasetSplits;
  /** Classes with training rows, ascending. */
  readonly seen: Int32Array;
  /** Every other class, ascending: it has attributes and no training row; a few-shot class has rows in `splits.fewShot`. */
  readonly unseen: Int32Array;
  /** Seen classes that the dataset's authors reserve for validation, or null to hold some out by seed. */
  readonly validationClasses: Int32Array | null;
  readonly backbone: BackboneIdentity | null;
}

/** Row indices into features and labels. */
export interface DatasetSplits {
  readonly train: Int32Array; // rows of seen classes only
  readonly testSeen: Int32Array;
  readonly testUnseen: Int32Array;
  /** Rows given of unseen classes that have a few (few-shot.ts); none when left out. */
  readonly fewShot?: Int32Array;
}
