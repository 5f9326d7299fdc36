/** What the server and its fitting process say to each other. The process mirrors the runtime classes with their rows. */
import type { Bundle } from '../../../core/bundle/bundle.js';
import type { Confusion } from '../../../core/head/runtime/confusion.js';
import type { Consolidation } from '../../../core/head/runtime/consolidate.js';
import type { FittedRow, RuntimeClass } from '../../../core/head/runtime/runtime-class.js';

export interface Draft {
  readonly upserts: readonly Pick<RuntimeClass, 'name' | 'attributes'>[];
  readonly removals: readonly string[];
}

export interface FittedDraft {
  /** Only rows that are new or have moved. */
  readonly rows: readonly (FittedRow & { readonly name: string })[];
  readonly converged: boolean;
}

export interface Consolidated extends Pick<Consolidation, 'before' | 'after' | 'isBetter'> {
  readonly rows: readonly (FittedRow & { readonly name: string })[];
  readonly base: readonly (FittedRow & { readonly name: string })[];
}

export type ToFitter =
  | { readonly kind: 'start'; readonly bundle: Bundle; readonly threads: number }
  /** As it stands in the registry; a class without a row is new to this bundle. */
  | { readonly kind: 'mirror'; readonly put: readonly RuntimeClass[]; readonly removed: readonly string[] }
  /** What the rows would be after these changes. Nothing changes until it is adopted. */
  | { readonly kind: 'fit'; readonly draft: Draft }
  /** The draft fitted last is what stands in the registry now. */
  | { readonly kind: 'adopt' }
  /** All rows anew, the bundle's too, and whether that is better. */
  | { readonly kind: 'consolidate' }
  | { readonly kind: 'confusion'; readonly candidate: Pick<RuntimeClass, 'name' | 'attributes'> };

export type FromFitter =
  | { readonly kind: 'fitted'; readonly fitted: FittedDraft }
  | { readonly kind: 'confusion'; readonly confusion: Confusion }
  | { readonly kind: 'consolidated'; readonly consolidated: Consolidated }
  | { readonly kind: 'failed'; readonly message: string };
