/** What the server asks of a decoder process. */
import type { Placed } from '../../core/channel/shared-slots.js';
import type { Preprocessing } from '../../core/backbone/picture-tensor.js';
import type { PictureLimits } from '../../core/backbone/preprocess.js';

export interface DecoderRequests {
  /** Answers once its modules are loaded. */
  start(): void;
  /** Upright 8-bit RGB pixels of the size that the backbone reads; null when it takes too much memory, and then the process must be ended. */
  decode(picture: PlacedPicture): Placed | null;
}

export interface EncodedPicture {
  readonly bytes: Uint8Array;
  /** How error messages call it. */
  readonly name: string;
  readonly preprocessing: Preprocessing;
  readonly limits: PictureLimits;
}

/** As it is sent to a decoder. */
export interface PlacedPicture extends Omit<EncodedPicture, 'bytes'> {
  readonly bytes: Placed;
  /** For the pixels, which may take the place of the bytes; null when none was free. */
  readonly slot: number | null;
  /** By which the process may grow. */
  readonly maxGrowth: number;
}
