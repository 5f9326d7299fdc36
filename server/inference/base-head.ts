import type { Bundle } from '../../core/bundle/bundle.js';
import { rowOf } from '../../core/matrix.js';
import type { HeadChange } from './worker-protocol.js';

/** The head as the bundle has it, before any class was added. */
export function baseHead({ manifest, weights, bias }: Bundle): HeadChange {
  return {
    revision: 0,
    removed: [],
    put: manifest.classes.map((described, c) => ({
      described: { ...described, runtime: false },
      row: { weights: rowOf(weights, c), bias: bias[c] },
    })),
  };
}
