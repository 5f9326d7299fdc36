/** What the server asks of a decoder process. */
import type { PictureLimits, Preprocessing } from '../../core/backbone/preprocess.js';

export interface DecoderRequests {
  /** Answers once its modules are loaded. */
  start(): void;
  /** Upright 8-bit RGB pixels of the size that the backbone reads. */
  decode(picture: EncodedPicture): Uint8Array;
}

export interface EncodedPicture {
  readonly bytes: Uint8Array;
  /** How error messages call it. */
  readonly name: string;
  readonly preprocessing: Preprocessing;
  readonly limits: PictureLimits;
}
