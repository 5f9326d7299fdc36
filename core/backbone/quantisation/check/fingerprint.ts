/**
 * What a network gives for the built-in pictures, to be compared with what another machine gives. Bit for bit would be too strict: each
 * processor has kernels of its own, which add in another order or round at another place. So features are compared by their cosine,
 * picture by picture, and the least one counts. Measured on one machine with `npm run bench -- fingerprint` (1 - cosine):
 *
 *   a float network, with fused kernels and operator by operator        10^-13
 *   an int8 network, with integer kernels and literally, in floats      0.0001 to 0.0004
 *   stored as half-precision numbers, as here                           10^-8
 *   int8 beside the float network that it was made of                   0.0010 to 0.0028
 *
 * The limit lies between the second and the last: kernels that only round differently stay above it, and products that saturate, which
 * is what int8 does on some processors, count as another network.
 */
import { bytesOf } from '../../../hash.js';
import { fromHalf, toHalf } from '../../../half.js';
import { cosine } from './cosine.js';

export const minFingerprintCosine = 0.999;

/** One row of features for each built-in picture, in their order. */
export type Fingerprint = readonly Float32Array[];

/** Half-precision numbers, little-endian, row after row. */
export function fingerprintToBytes(rows: Fingerprint): Uint8Array {
  return Buffer.concat(rows.map((row) => bytesOf(toHalf(row))));
}

/** The least cosine of a picture; 0 where the two are not of the same number of pictures and features. */
export function compareFingerprints(own: Uint8Array, other: Uint8Array, pictures: number): number {
  if (own.length !== other.length || own.length === 0) return 0;
  const width = own.length / 2 / pictures;
  const rowsOf = (bytes: Uint8Array): Float32Array => fromHalf(new Uint16Array(new Uint8Array(bytes).buffer));
  const [first, second] = [rowsOf(own), rowsOf(other)];
  const cosines = Array.from({ length: pictures }, (_, i) =>
    cosine(first.subarray(i * width, (i + 1) * width), second.subarray(i * width, (i + 1) * width)),
  );
  return Math.min(...cosines);
}
