/** What the main process and an inference worker say to each other. */
import type { BackboneEntry } from '../../core/backbone/catalogue.js';
import type { Provider } from '../../core/compute/session.js';
import type { Classification, ClassifyOptions, ServedBundle } from '../../core/head/classifier.js';
import type { CompetingClass, HeadRow } from '../../core/head/head-table.js';

export interface HeadChange {
  readonly revision: number;
  readonly put: readonly { readonly described: CompetingClass; readonly row: HeadRow }[];
  readonly removed: readonly string[];
}

export interface WorkerStart {
  readonly entry: BackboneEntry;
  /** The backbone's ONNX file, or its bytes. */
  readonly network: string | Uint8Array;
  readonly bundle: ServedBundle;
  /** Every class that competes from the start. */
  readonly head: HeadChange;
  readonly provider: Provider;
  readonly threads: number;
  readonly batchSizes: readonly number[];
}

export type Batch =
  | {
      readonly kind: 'pictures';
      /** Upright 8-bit RGB pixels, one picture after another, padded to a batch size that was warmed up. */
      readonly pixels: Uint8Array<ArrayBuffer>;
      readonly options: readonly ClassifyOptions[];
    }
  | {
      readonly kind: 'features';
      readonly features: Float32Array<ArrayBuffer>;
      readonly options: readonly ClassifyOptions[];
    };

export interface BatchAnswer {
  readonly classifications: readonly Classification[];
  readonly revision: number;
  readonly inferSeconds: number;
  readonly headSeconds: number;
  /** Memory of the worker, by then. */
  readonly residentBytes: number;
}

export type ToWorker =
  | { readonly kind: 'start'; readonly start: WorkerStart }
  | { readonly kind: 'batch'; readonly batch: Batch }
  | { readonly kind: 'head'; readonly change: HeadChange };

export type FromWorker =
  | { readonly kind: 'fallback'; readonly reason: string }
  /** Warmed up on every batch size; `secondsPerPicture` is the pace of the largest. */
  | { readonly kind: 'ready'; readonly provider: Provider; readonly secondsPerPicture: number }
  | { readonly kind: 'answer'; readonly answer: BatchAnswer }
  /** It cannot start. */
  | { readonly kind: 'refused'; readonly message: string }
  /** A batch that failed, while the worker lives on. */
  | { readonly kind: 'failed'; readonly message: string };
