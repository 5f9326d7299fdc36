/** A named list of classes: the species of a region, the parts of a machine. Groups of one family are read as one choice. */
export interface ClassGroup {
  readonly name: string;
  /** Of which set of groups it is one; no class is in two groups of a family. Null: of none. */
  readonly family: string | null;
  readonly classes: readonly string[];
}
