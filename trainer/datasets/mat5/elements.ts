import { bytesPerValue, elementTypes, MatFormatError, paddedTo8 } from './format.js';
import type { NumericArray } from './values.js';

/** A stretch of a MAT-file in memory; every read is checked against its end. */
export interface MatBytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly littleEndian: boolean;
}

export interface Element {
  readonly type: number;
  readonly start: number; // of its data
  readonly length: number; // of its data, in bytes
  readonly next: number; // where the next element begins
}

export function matBytes(bytes: Uint8Array, littleEndian: boolean): MatBytes {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), littleEndian };
}

export function elementAt({ view, littleEndian }: MatBytes, offset: number, end: number): Element {
  if (offset + 8 > end) throw new MatFormatError('an element ends early');
  const word = view.getUint32(offset, littleEndian);
  const smallLength = word >>> 16;
  if (smallLength !== 0) {
    // The small format: type and length share the first word, and up to four bytes of data follow at once.
    if (smallLength > 4) throw new MatFormatError('a small element is longer than its four bytes');
    return { type: word & 0xffff, start: offset + 4, length: smallLength, next: offset + 8 };
  }
  const length = view.getUint32(offset + 4, littleEndian);
  const start = offset + 8;
  if (length > end - start) throw new MatFormatError('an element is longer than what holds it');
  return { type: word, start, length, next: Math.min(end, start + paddedTo8(length)) };
}

const arrayTypes = {
  [elementTypes.int8]: Int8Array,
  [elementTypes.uint8]: Uint8Array,
  [elementTypes.int16]: Int16Array,
  [elementTypes.uint16]: Uint16Array,
  [elementTypes.int32]: Int32Array,
  [elementTypes.uint32]: Uint32Array,
  [elementTypes.single]: Float32Array,
  [elementTypes.double]: Float64Array,
  [elementTypes.utf8]: Uint8Array,
  [elementTypes.utf16]: Uint16Array,
  [elementTypes.utf32]: Uint32Array,
} as const;

const machineIsLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** The values of an element: a view of the bytes where they lie aligned and in the machine's order, otherwise a copy. */
export function valuesOf({ bytes, view, littleEndian }: MatBytes, element: Element): NumericArray {
  const { type, start, length } = element;
  const width = bytesPerValue[type];
  if (width === undefined) throw new MatFormatError(`an element of type ${type} stands where numbers belong`);
  if (length % width !== 0) throw new MatFormatError('an element ends within a value');
  const count = length / width;
  if (type === elementTypes.int64 || type === elementTypes.uint64) {
    const read = type === elementTypes.int64 ? 'getBigInt64' : 'getBigUint64';
    return Float64Array.from({ length: count }, (_, i) => Number(view[read](start + i * 8, littleEndian)));
  }
  const copy = (): Uint8Array<ArrayBuffer> => new Uint8Array(bytes.subarray(start, start + length)); // Buffer's slice is no copy
  const arrayType = arrayTypes[type as keyof typeof arrayTypes];
  if (littleEndian === machineIsLittleEndian) {
    const offset = bytes.byteOffset + start;
    if (offset % width === 0) return new arrayType(bytes.buffer as ArrayBuffer, offset, count);
    return new arrayType(copy().buffer);
  }
  const swapped = Buffer.from(copy().buffer);
  if (width === 2) swapped.swap16();
  else if (width === 4) swapped.swap32();
  else if (width === 8) swapped.swap64();
  return new arrayType(swapped.buffer, swapped.byteOffset, count);
}
