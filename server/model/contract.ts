/** What the routes know of the model that is served: a bundle, its classes and its workers are one thing with one lifetime. */
import type { Precision } from '../../core/backbone/catalogue.js';
import type { Manifest } from '../../core/bundle/manifest.js';
import type { Adaptations } from '../adaptation/contract.js';
import type { Classes } from '../classes/contract.js';
import type { Inference } from '../inference/contract.js';

export interface ServedModel {
  /** Identifies the bundle by its content. */
  readonly version: string;
  readonly manifest: Manifest;
  /** The network that makes features of pictures. */
  readonly backbone: ServedBackbone;
  readonly classes: Classes;
  readonly adaptations: Adaptations;
  readonly inference: Inference;
}

export interface ServedBackbone {
  readonly name: string;
  readonly precision: Precision;
  /** Hash of its file. */
  readonly sha256: string | null;
}

export interface Serving {
  /** The model that answers now. Whoever keeps it across an `await` asks for it by `use`, so that it is not closed meanwhile. */
  readonly current: ServedModel;
  /**
   * Runs `work` with the current model, which stays open until `work` is done, whatever is loaded meanwhile: everything that a
   * request is answered comes from one model.
   */
  use<T>(work: (model: ServedModel) => Promise<T>): Promise<T>;
}
