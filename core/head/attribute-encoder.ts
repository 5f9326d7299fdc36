/**
 * Attribute values as experts give them -> the generator's input.
 * `standardised`: per attribute, (value - mean) / deviation over the seen classes, clipped. Attributes are then as large
 * as the unit noise beside them; with `unit-length` (the paper's) each class has length 1, and noise has length sqrt(d).
 */
import type { AttributeEncoding } from '../bundle/manifest.js';
import { matrix, rowOf, takeRows, type Matrix } from '../matrix.js';

/** An attribute that hardly varies over the seen classes carries no information; dividing by its deviation would only amplify noise. */
const smallestDeviation = 1e-6;

export function fitAttributeEncoding(
  attributes: Matrix, // (C, d)
  seen: ArrayLike<number>,
  kind: AttributeEncoding['kind'],
  clip: number,
): AttributeEncoding {
  const known = takeRows(attributes, seen); // (S, d)
  const mean = new Array<number>(known.columns).fill(0);
  const deviation = new Array<number>(known.columns).fill(1);
  if (kind === 'standardised') {
    for (let k = 0; k < known.columns; k++) {
      let sum = 0;
      for (let c = 0; c < known.rows; c++) sum += known.data[c * known.columns + k];
      mean[k] = sum / known.rows;
      let squares = 0;
      for (let c = 0; c < known.rows; c++) squares += (known.data[c * known.columns + k] - mean[k]) ** 2;
      const found = Math.sqrt(squares / known.rows);
      const scale = Math.max(Math.abs(mean[k]), 1);
      deviation[k] = found > smallestDeviation * scale ? found : Infinity;
    }
  }
  // JSON has no Infinity: an attribute without information is written as deviation 0 and encoded as 0.
  return { kind, mean, deviation: deviation.map((value) => (Number.isFinite(value) ? value : 0)), clip };
}

export function encodeAttributes(encoding: AttributeEncoding, attributes: Matrix): Matrix {
  const encoded = matrix(attributes.rows, attributes.columns);
  for (let c = 0; c < attributes.rows; c++) {
    const from = rowOf(attributes, c);
    const to = rowOf(encoded, c);
    if (encoding.kind === 'unit-length') {
      const length = Math.hypot(...from) || 1;
      for (let k = 0; k < from.length; k++) to[k] = from[k] / length;
      continue;
    }
    for (let k = 0; k < from.length; k++) {
      const spread = encoding.deviation[k];
      const value = spread === 0 ? 0 : (from[k] - encoding.mean[k]) / spread;
      to[k] = Math.max(-encoding.clip, Math.min(encoding.clip, value));
    }
  }
  return encoded;
}

/**
 * One encoded row in the units in which experts gave it. A unit-length encoding has lost the length: `typicalLength` stands
 * in for it.
 */
export function decodeAttributes(
  encoding: AttributeEncoding,
  encoded: Float32Array,
  typicalLength: number,
): Float32Array {
  return encoded.map((value, k) =>
    encoding.kind === 'unit-length'
      ? value * typicalLength
      : encoding.mean[k] + value * encoding.deviation[k],
  );
}
