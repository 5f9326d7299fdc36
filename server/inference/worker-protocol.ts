/** What the server asks of an inference worker. */
import type { BackboneEntry } from '../../core/backbone/catalogue.js';
import type { Placed } from '../../core/channel/shared-slots.js';
import type { Provider } from '../../core/compute/session.js';
import type { Classification, ClassificationOptions, ServedBundle } from '../../core/head/classifier.js';
import type { HeadChange } from '../../core/head/head-change.js';

export interface InferenceRequests {
  /** A notice: opens the network in its optimised form, where there is one, for the `start` that most likely follows. */
  openAhead(network: NetworkStart): void;
  /** Opens the network and runs the smallest batch. */
  start(start: WorkerStart): WorkerReady;
  /** Runs a batch of this size once, so that memory for it is there. */
  warmUp(batchSize: number): void;
  /** Learns what explanations need, which the first of them would wait for. */
  prepareExplanations(): void;
  classify(batch: Batch): BatchAnswer;
  /** What the network gives for one picture: upright 8-bit RGB pixels. */
  features(picture: Placed): Float32Array;
  /** A notice: batches sent after it are answered with the changed head. */
  changeHead(change: HeadChange): void;
}

export interface InferenceEvents {
  /** The provider asked for is missing, and the CPU is used instead. */
  fallback: string;
}

/** Which network, and how it runs. */
export interface NetworkStart {
  readonly entry: BackboneEntry;
  /** Where it is kept as the runtime has optimised it: core/backbone/optimised-file.ts. */
  readonly optimised: string | null;
  readonly provider: Provider;
  readonly threads: number;
  readonly batchSizes: readonly number[];
}

export interface WorkerStart extends NetworkStart {
  /** The backbone's ONNX file, or its bytes. */
  readonly network: string | Uint8Array;
  readonly bundle: ServedBundle;
  /** Every class that competes from the start. */
  readonly head: HeadChange;
}

export interface WorkerReady {
  readonly provider: Provider;
  /** The pace of the smallest batch. */
  readonly secondsPerPicture: number;
}

export interface BatchOptions extends ClassificationOptions {
  /** Also answer the features, as the backbone gives them. */
  readonly features?: boolean;
}

export type Batch =
  | {
      readonly kind: 'pictures';
      /** Upright 8-bit RGB pixels of each picture. */
      readonly pictures: readonly Placed[];
      /** The batch size that is run: not less than there are pictures. */
      readonly room: number;
      readonly options: readonly BatchOptions[];
    }
  | {
      readonly kind: 'features';
      readonly features: Float32Array<ArrayBuffer>;
      readonly options: readonly BatchOptions[];
    };

interface BatchClassification extends Classification {
  readonly features?: Float32Array;
}

export interface BatchAnswer {
  readonly classifications: readonly BatchClassification[];
  readonly revision: number;
  readonly inferSeconds: number;
  readonly headSeconds: number;
  /** Memory of the worker, by then. */
  readonly residentBytes: number;
}
