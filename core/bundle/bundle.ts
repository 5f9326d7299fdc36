import type { Matrix } from '../matrix.js';
import type { Manifest } from './manifest.js';

/**
 * A saved model in memory: what training hands to serving. C classes, D feature values, R replay rows.
 * Rows of `weights` and entries of `bias` follow `manifest.classes`.
 */
export interface Bundle {
  readonly manifest: Manifest;
  /** Digest of the manifest, and through it of every file: two bundles are the same model when these are equal. */
  readonly identity: string;
  readonly featureMap: Uint8Array; // ONNX: features (n, raw width) as the backbone gives them -> mapped (n, D)
  readonly generator: Uint8Array; // ONNX: attributes (n, d) encoded, noise (n, z) -> features (n, D), mapped
  readonly predictor: Uint8Array; // ONNX: features (n, D), mapped -> attributes (n, d), encoded
  readonly weights: Matrix; // (C, D)
  readonly bias: Float32Array; // (C)
  /** How far seen classes lie from where a closed form without them puts them: (at most C, D); null: not known. */
  readonly deviations: Matrix | null;
  /** What tells new pictures from known ones (core/head/novelty/geometry.ts): (3 + k, D); null: not known. */
  readonly novelty: Matrix | null;
  /** Training features of few-shot classes, mapped, by their position in `manifest.classes`: (n, D) each. */
  readonly examples: ReadonlyMap<number, Matrix>;
  /** Real training features, mapped, against which a class added at runtime is fitted. */
  readonly replay: { readonly features: Matrix; readonly labels: Int32Array }; // (R, D), (R)
}

/** What is written; files and digest follow from it. */
export interface BundleContent extends Omit<Bundle, 'manifest' | 'identity'> {
  readonly description: Omit<Manifest, 'files' | 'formatVersion' | 'producer' | 'adaptation'> &
    Partial<Pick<Manifest, 'adaptation'>>;
}
