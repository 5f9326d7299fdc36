/** The numbers of the "MAT-File Level 5" format, as far as datasets need them. */
export const headerBytes = 128;

export const elementTypes = {
  int8: 1,
  uint8: 2,
  int16: 3,
  uint16: 4,
  int32: 5,
  uint32: 6,
  single: 7,
  double: 9,
  int64: 12,
  uint64: 13,
  matrix: 14,
  compressed: 15,
  utf8: 16,
  utf16: 17,
  utf32: 18,
} as const;

export const arrayClasses = {
  cell: 1,
  struct: 2,
  object: 3,
  char: 4,
  sparse: 5,
  double: 6,
  single: 7,
  int8: 8,
  uint8: 9,
  int16: 10,
  uint16: 11,
  int32: 12,
  uint32: 13,
  int64: 14,
  uint64: 15,
  opaque: 17, // string objects and tables: laid out like nothing else
} as const;

/** Set in the array flags' second byte. */
export const complexFlag = 0x08;

/** Bytes per value of the element types that carry numbers or characters. */
export const bytesPerValue: Readonly<Partial<Record<number, number>>> = {
  [elementTypes.int8]: 1,
  [elementTypes.uint8]: 1,
  [elementTypes.int16]: 2,
  [elementTypes.uint16]: 2,
  [elementTypes.int32]: 4,
  [elementTypes.uint32]: 4,
  [elementTypes.single]: 4,
  [elementTypes.double]: 8,
  [elementTypes.int64]: 8,
  [elementTypes.uint64]: 8,
  [elementTypes.utf8]: 1,
  [elementTypes.utf16]: 2,
  [elementTypes.utf32]: 4,
};

export function paddedTo8(length: number): number {
  return Math.ceil(length / 8) * 8;
}

/** What is wrong with the bytes; the reader turns it into a Failure that names the file. */
export class MatFormatError extends Error {}
