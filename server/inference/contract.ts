/** What the routes know of inference. */
import type { Classification, ClassifyOptions } from '../../core/head/classifier.js';
import type { Manifest } from '../../core/bundle/manifest.js';
import type { Provider } from '../../core/compute/session.js';
import type { Matrix } from '../../core/matrix.js';
import type { StageListener } from '../observability/tracing.js';

export interface Answer extends Classification {
  /** Of the class registry, when this was computed: all of an answer is of one revision. */
  readonly revision: number;
  /** The bundle that answered. */
  readonly version: string;
}

export interface ServedModel {
  readonly version: string;
  readonly manifest: Manifest;
  readonly backbone: string;
  readonly provider: Provider;
}

export interface InferenceState {
  readonly workers: number;
  readonly workersReady: number;
  /** Pictures admitted and not yet answered. */
  readonly queued: number;
  /** Seconds since a worker last answered; null before the first time. */
  readonly sinceLastAnswer: number | null;
}

export interface Inference {
  readonly model: ServedModel;
  readonly state: InferenceState;
  /** Throws Failure 'overloaded' when one picture more would wait too long. */
  admit(): void;
  /**
   * `signal` is aborted, with the Failure to answer as its reason, when nobody waits for the answer any more. `onStage` hears
   * how long each stage took, when somebody wants to know.
   */
  classifyPicture(
    bytes: Uint8Array,
    name: string,
    options: ClassifyOptions,
    signal: AbortSignal,
    onStage?: StageListener,
  ): Promise<Answer>;
  /** Rows as the backbone would give them. */
  classifyFeatures(
    features: Matrix,
    options: ClassifyOptions,
    signal: AbortSignal,
    onStage?: StageListener,
  ): Promise<Answer[]>;
}
