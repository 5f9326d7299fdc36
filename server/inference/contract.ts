/** What the routes know of inference. */
import type { Failure } from '../../core/failures.js';
import type { Classification, ClassificationOptions } from '../../core/head/classifier.js';
import type { Provider } from '../../core/compute/session.js';
import type { Matrix } from '../../core/matrix.js';
import type { StageListener } from '../observability/tracing.js';

interface InferenceWork {
  /** Aborted, with the Failure to answer as its reason, when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Called with the time of each stage, where requests are traced. */
  readonly onStage?: StageListener | undefined;
}

export interface InferenceRequest extends InferenceWork {
  readonly options: ClassificationOptions;
}

/** A picture whose features are asked for, and nothing else. */
export interface PictureFeaturesRequest extends InferenceWork {
  readonly bytes: Uint8Array;
  /** How error messages call the picture. */
  readonly name: string;
}

export interface PictureRequest extends InferenceRequest, PictureFeaturesRequest {}

export interface ExtractedPicture {
  readonly features: Float32Array;
  readonly answer: Classification['predictions'][number];
}

export interface FeatureRequest extends InferenceRequest {
  /** Rows as the backbone would give them. */
  readonly features: Matrix;
}

export interface ClassificationAtRevision extends Classification {
  /** Of the class registry, when this was computed: all of an answer is of one revision. */
  readonly revision: number;
}

export interface InferenceState {
  readonly provider: Provider;
  readonly workers: number;
  readonly workersReady: number;
  /** Pictures admitted and not yet answered, those still being uploaded among them. */
  readonly queued: number;
  /** Pictures that are here and not yet answered. */
  readonly received: number;
  /** Seconds since a worker last answered; null before the first time. */
  readonly sinceLastAnswer: number | null;
}

/** The places in the queue that a request holds. */
export interface Permit {
  /** Acquires places until so many are held; throws Failure 'overloaded' when they are not to be had. */
  extendTo(places: number): void;
}

/** Rows of features that count as one picture in the queue: they skip the network, so hundreds wait no longer than a picture. */
export const rowsPerPlace = 256;

export interface Inference {
  readonly state: InferenceState;
  /**
   * Runs `work` with a place in the queue, which is given back when `work` has ended. Fails with 'overloaded', and runs nothing,
   * when the queue is full, one picture more would wait too long, or the caller has its share of the queue already.
   */
  admit<T>(caller: string, work: (permit: Permit) => Promise<T>): Promise<T>;
  /** The Failure that admit() would answer this caller now; null when there is a place. */
  overload(caller: string): Failure | null;
  classifyPicture(request: PictureRequest): Promise<ClassificationAtRevision>;
  /** The features of a picture as the backbone gives them, and what they are answered. */
  extractFeatures(request: PictureFeaturesRequest): Promise<ExtractedPicture>;
  classifyFeatures(request: FeatureRequest): Promise<ClassificationAtRevision[]>;
}
