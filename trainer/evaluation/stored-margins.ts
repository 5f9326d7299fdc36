import type { Margins } from './metrics.js';

/** Margins as JSON holds them. */
export type StoredMargins = Readonly<Record<keyof Margins, readonly number[]>>;

export function storeMargins({ margin, isUnseen, isRight, labels }: Margins): StoredMargins {
  return {
    margin: Array.from(margin),
    isUnseen: Array.from(isUnseen),
    isRight: Array.from(isRight),
    labels: Array.from(labels),
  };
}

export function restoreMargins({ margin, isUnseen, isRight, labels }: StoredMargins): Margins {
  return {
    margin: Float64Array.from(margin),
    isUnseen: Uint8Array.from(isUnseen),
    isRight: Uint8Array.from(isRight),
    labels: Int32Array.from(labels),
  };
}
