/**
 * IEEE 754 half precision, for storing features in half the space: CNN features are far from its limits, and 11
 * significant bits are more than they carry. Values round to the nearest, ties to even.
 */
const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);

export function toHalf(values: Float32Array): Uint16Array {
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) halves[i] = encode(values[i]);
  return halves;
}

/** There are only 65,536 half-precision values and files hold millions, so decoding is a table lookup. */
let decoded: Float32Array | undefined;

/** Into `singles` if it is given. */
export function fromHalf(
  values: Uint16Array,
  singles: Float32Array = new Float32Array(values.length),
): Float32Array {
  decoded ??= Float32Array.from({ length: 65_536 }, (_, half) => decode(half));
  for (let i = 0; i < values.length; i++) singles[i] = decoded[values[i]];
  return singles;
}

function encode(value: number): number {
  floats[0] = value;
  const word = bits[0];
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00; // not a number
  if (magnitude >= 0x477ff000) return sign | 0x7c00; // rounds past the largest half: infinity
  if (magnitude < 0x38800000) {
    // Below the smallest normal half: count in units of 2^-24. Math.round would send ties up, not to even.
    const scaled = Math.abs(value) * 2 ** 24;
    const down = Math.floor(scaled);
    const rest = scaled - down;
    return sign | (rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down);
  }
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - 0x38000000) >>> 13);
}

function decode(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
