/**
 * Attribute values as experts give them -> the generator's input.
 * `standardised`: per attribute, (value - mean) / deviation over the seen classes, clipped. Attributes are then as large
 * as the unit noise beside them; with `unit-length` (the paper's) each class has length 1, and noise has length sqrt(d).
 */
import type { AttributeEncoding } from '../bundle/manifest.js';
import { matrix, rowOf, takeRows, type Matrix } from '../matrix.js';

/**
 * An attribute that varies over the seen classes by less than this share of its largest value is constant up to the rounding of
 * 32-bit floats, and carries no information; dividing by its deviation would only amplify that rounding. A share, so that units do not matter.
 */
const smallestDeviation = 1e-6;

/** The deviation of an attribute; 0 where it is only rounding, beside its largest value. */
export function deviationBeyondRounding(deviation: number, largest: number): number {
  return deviation <= smallestDeviation * largest ? 0 : deviation;
}

export function fitAttributeEncoding(
  attributes: Matrix, // (C, d)
  seen: ArrayLike<number>,
  kind: AttributeEncoding['kind'],
  clip: number,
): AttributeEncoding {
  const known = takeRows(attributes, seen); // (S, d)
  const moments =
    kind === 'standardised'
      ? columnMoments(known)
      : Array.from({ length: known.columns }, () => ({ mean: 0, deviation: 1 }));
  return {
    kind,
    mean: moments.map(({ mean }) => mean),
    deviation: moments.map(({ deviation }) => deviation),
    clip,
  };
}

/** The attributes that have one value for all of the classes named, from which nothing can be learnt: ascending. */
export function constantAttributes(attributes: Matrix, classes: ArrayLike<number>): number[] {
  return columnMoments(takeRows(attributes, classes)).flatMap(({ deviation }, k) =>
    deviation === 0 ? [k] : [],
  );
}

/** Mean and deviation of each column. A column without information has deviation 0 (JSON has no infinity), and is encoded as 0. */
function columnMoments({ rows, columns, data }: Matrix): { mean: number; deviation: number }[] {
  return Array.from({ length: columns }, (_, k) => {
    let [sum, largest, squares] = [0, 0, 0];
    for (let c = 0; c < rows; c++) {
      sum += data[c * columns + k];
      largest = Math.max(largest, Math.abs(data[c * columns + k]));
    }
    const mean = sum / rows;
    for (let c = 0; c < rows; c++) squares += (data[c * columns + k] - mean) ** 2;
    const deviation = Math.sqrt(squares / rows);
    return { mean, deviation: deviationBeyondRounding(deviation, largest) };
  });
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

/** Whether a class is encoded alike whatever it has of this attribute: the seen classes do not differ in it. */
export function isIgnored({ deviation }: AttributeEncoding, attribute: number): boolean {
  return deviation[attribute] === 0; // of the unit-length encoding it is 1
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
