/** What the routes know of the classes that compete. */
import type { ClassGroup } from '../../core/head/class-group.js';
import type { DryRun, PictureOutcome } from '../../core/fitting/confusion.js';
import type {
  ClassContent,
  ClassVersion,
  ExampleContent,
  Remembered,
  RemovedClass,
  RemovedRange,
  StoredGroup,
  VersionRange,
} from './store/contract.js';

export interface KnownClass {
  readonly name: string;
  readonly seen: boolean;
  readonly runtime: boolean;
  /** What is stored: all of them or some. */
  readonly attributes: Readonly<Record<string, number>>;
  /** Pictures of it that were added while serving. */
  readonly examples: number;
  /** How many of them cannot be used, because another network made their features. */
  readonly unusableExamples?: number;
  /** Pictures that training had of it, for a few-shot class of the bundle. */
  readonly trainedExamples?: number;
  /** Of the attributes: examples come and go without a new one. */
  readonly etag: string;
  /** Of the registry, when it last changed; 0 for the bundle's own. */
  readonly revision: number;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** Why the model that serves cannot use it; it does not compete then. */
  readonly unusable?: string;
}

export interface ClassCandidate {
  readonly content: ClassContent;
  readonly examples: readonly NewExample[];
}

/** The attributes that are not known of a class, by name: from those that are, and from its pictures. */
export interface FilledAttributes {
  readonly filled: Readonly<Record<string, number>>;
  /** Of each, from 0 (no better than the mean of all classes) to 1 (certain); left out where many classes are asked for. */
  readonly certainty?: Readonly<Record<string, number>>;
}

/** When and by whom: now and by the caller, unless it says so. */
export type NewExample = Pick<ExampleContent, 'id' | 'backbone' | 'features'> &
  Partial<Pick<ExampleContent, 'createdAt' | 'createdBy'>>;

export type ClassChange =
  /** What exists with the same attributes is left as it is, and gets the examples that it does not have. */
  | { readonly kind: 'create'; readonly content: ClassContent; readonly examples?: readonly NewExample[] }
  | { readonly kind: 'replace'; readonly content: ClassContent; readonly ifMatch: string }
  /** Creates it, or replaces what is there; the latter only with the ETag of what is there, or '*'. */
  | {
      readonly kind: 'put';
      readonly content: ClassContent;
      readonly ifMatch: string | undefined;
      /** These, and no others; left out, those that it has. */
      readonly examples?: readonly NewExample[];
    }
  | { readonly kind: 'remove'; readonly name: string; readonly ifMatch: string }
  /** Also of a class of the bundle itself. */
  | { readonly kind: 'add-examples'; readonly name: string; readonly examples: readonly NewExample[] }
  /** These, and no others. */
  | { readonly kind: 'set-examples'; readonly name: string; readonly examples: readonly NewExample[] }
  | { readonly kind: 'remove-examples'; readonly name: string; readonly ids: readonly string[] | 'all' };

export type GroupChange =
  /** Creates it, or replaces what is there; the latter only with the ETag of what is there, or '*'. */
  | { readonly kind: 'put-group'; readonly content: ClassGroup; readonly ifMatch: string | undefined }
  | { readonly kind: 'remove-group'; readonly name: string; readonly ifMatch: string };

export type RegistryChange = ClassChange | GroupChange;

export interface GroupOutcome {
  readonly kind: 'created' | 'replaced' | 'removed' | 'unchanged';
  /** As it is now, or was before it was removed. */
  readonly group: KnownGroup;
}

export type KnownGroup = StoredGroup;

export interface ClassOutcome {
  readonly kind: 'created' | 'replaced' | 'removed' | 'unchanged' | 'examples-added' | 'examples-removed';
  /** As it is now, or was before it was removed. */
  readonly known: KnownClass;
  /** Ids of the examples that were not there before. */
  readonly added: readonly string[];
}

export interface ChangeResult {
  readonly outcomes: readonly ClassOutcome[];
  /** Also groups that a removed class has left. */
  readonly groups: readonly GroupOutcome[];
  readonly revision: number;
}

export interface ChangeOptions {
  /** For the request's Idempotency-Key. */
  readonly remembering?: Remembering | undefined;
  /** Who makes the change; kept with the version of each class. */
  readonly by?: string | undefined;
}

/** Makes the answer to remember from the outcome; both are stored in one transaction. */
export interface Remembering {
  readonly key: string;
  readonly requestHash: string;
  readonly answer: (result: ChangeResult) => unknown;
}

export interface ClassPreview extends Omit<DryRun, 'pictures'> {
  /** By the id of the example, of those given: the first few. */
  readonly pictures: ReadonlyMap<string, PictureOutcome | null>;
}

export type ListedExample = ExampleContent & { readonly usable: boolean };

export interface Classes {
  /** Of the head that answers. */
  readonly revision: number;
  /** In order of their names: the bundle's own and those added since. */
  list(): readonly KnownClass[];
  get(name: string): KnownClass | undefined;
  /** For each class what is filled in of it; null where all is known, or when nobody can tell at the moment. */
  filled(names: readonly string[]): Promise<readonly (FilledAttributes | null)[]>;
  /** The same for classes that would be stored like that, beside the examples that they may have. */
  filledIn(candidates: readonly ClassCandidate[]): Promise<readonly (FilledAttributes | null)[]>;
  /** Which network makes features of examples: those of another are not used. */
  readonly exampleBackbone: string;
  /** Oldest first. */
  examplesOf(name: string): readonly ListedExample[];
  /** In order of their names. */
  groups(): readonly KnownGroup[];
  group(name: string): KnownGroup | undefined;
  /** All of them or none. Resolves when it is durable and every picture from now on is answered with it. */
  change(changes: readonly RegistryChange[], options?: ChangeOptions): Promise<ChangeResult>;
  recall(key: string): Promise<Remembered | null>;
  /** What a class was after each change, newest first; also of one that was removed. */
  versions(name: string, page: VersionRange): Promise<ClassVersion[]>;
  /** Those that were removed and can still be restored, by name. */
  removed(page: RemovedRange): Promise<RemovedClass[]>;
  /** Those that a class had at that revision. */
  examplesAt(name: string, revision: number): Promise<ExampleContent[]>;
  /** Which classes a new one would be confused with; changes nothing. */
  preview(
    content: ClassContent,
    signal: AbortSignal,
    examples?: readonly NewExample[],
  ): Promise<ClassPreview>;
  /** Resolves when the revision is reached, and fails when it is not in time. */
  reach(revision: number, signal: AbortSignal): Promise<void>;
  /** What does not work at the moment although pictures are answered; empty when all is well. */
  problems(): readonly string[];
}
