import { elementAt, valuesOf, type Element, type MatBytes } from './elements.js';
import { arrayClasses, complexFlag, elementTypes, MatFormatError } from './format.js';
import type { MatText, MatValue, NumericArray } from './values.js';

interface ArrayHeader {
  readonly name: string;
  readonly arrayClass: number;
  readonly isComplex: boolean;
  readonly dimensions: readonly number[];
  readonly next: number; // where its data begins
}

/** xlsa17 nests cells twice; more than this is a file made to exhaust the stack. */
const deepestCell = 8;

/** Flags, dimensions and name, which every array begins with. `offset` is behind the array's own tag. */
export function arrayHeaderAt(source: MatBytes, offset: number, end: number): ArrayHeader {
  const flags = elementAt(source, offset, end);
  const flagWords = flags.type === elementTypes.uint32 ? valuesOf(source, flags) : new Uint32Array();
  if (flagWords.length !== 2) throw new MatFormatError('an array lacks its flags');
  const dimensionsElement = elementAt(source, flags.next, end);
  const dimensions = Array.from(valuesOf(source, dimensionsElement));
  if (dimensions.length < 2 || dimensions.some((size) => !Number.isInteger(size) || size < 0))
    throw new MatFormatError('an array has impossible dimensions');
  const nameElement = elementAt(source, dimensionsElement.next, end);
  return {
    name: Buffer.from(
      source.bytes.subarray(nameElement.start, nameElement.start + nameElement.length),
    ).toString('latin1'),
    arrayClass: flagWords[0] & 0xff,
    isComplex: ((flagWords[0] >>> 8) & complexFlag) !== 0,
    dimensions,
    next: nameElement.next,
  };
}

/** The value of an array element (its data lies between start and start + length). */
export function arrayValue(source: MatBytes, array: Element, depth = 0): MatValue {
  if (array.type !== elementTypes.matrix)
    throw new MatFormatError('something else stands where an array belongs');
  if (array.length === 0) return { kind: 'numbers', dimensions: [0, 0], values: new Float64Array() };
  const end = array.start + array.length;
  const header = arrayHeaderAt(source, array.start, end);
  const { arrayClass, dimensions } = header;
  const count = dimensions.reduce((product, size) => product * size, 1);
  if (header.isComplex) throw new MatFormatError('complex numbers are not supported');
  if (arrayClass === arrayClasses.cell) return cellsValue(source, header, count, end, depth);
  if (
    arrayClass === arrayClasses.char ||
    (arrayClass >= arrayClasses.double && arrayClass <= arrayClasses.uint64)
  ) {
    const data = elementAt(source, header.next, end);
    const values = valuesOf(source, data);
    if (arrayClass === arrayClasses.char) return textValue(values, data.type, dimensions, count);
    if (values.length !== count)
      throw new MatFormatError(`an array has ${values.length} values instead of ${count}`);
    return { kind: 'numbers', dimensions, values };
  }
  const what = { [arrayClasses.struct]: 'a struct', [arrayClasses.sparse]: 'a sparse matrix' }[arrayClass];
  throw new MatFormatError(`${what ?? `an array of class ${arrayClass}`} is not supported`);
}

function cellsValue(
  source: MatBytes,
  header: ArrayHeader,
  count: number,
  end: number,
  depth: number,
): MatValue {
  if (depth >= deepestCell) throw new MatFormatError('cells are nested too deeply');
  if (count > (end - header.next) / 8) throw new MatFormatError('a cell array is larger than its bytes');
  const cells: MatValue[] = [];
  for (let offset = header.next; cells.length < count;) {
    const cell = elementAt(source, offset, end);
    cells.push(arrayValue(source, cell, depth + 1));
    offset = cell.next;
  }
  return { kind: 'cells', dimensions: header.dimensions, cells };
}

function textValue(
  values: NumericArray,
  type: number,
  dimensions: readonly number[],
  count: number,
): MatText {
  const isUtf8 = type === elementTypes.utf8 || type === elementTypes.int8;
  const bytes = (): Buffer => Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  if (dimensions[0] <= 1) {
    // UTF-8 may need more bytes than the array has characters, so its count is not compared.
    const text = isUtf8 ? bytes().toString('utf8') : fromCodes(values);
    return { kind: 'text', dimensions, rows: dimensions[0] === 0 && text === '' ? [] : [text] };
  }
  const codes = isUtf8
    ? Array.from(bytes().toString('utf8'), (character) => character.codePointAt(0)!)
    : values;
  if (codes.length !== count) throw new MatFormatError('a char array does not fill its dimensions');
  const rows = Array.from({ length: dimensions[0] }, (_, row) =>
    fromCodes(
      Array.from({ length: count / dimensions[0] }, (_, column) => codes[row + column * dimensions[0]]),
    ),
  );
  return { kind: 'text', dimensions, rows: rows.map((row) => row.trimEnd()) }; // MATLAB pads rows with blanks
}

function fromCodes(codes: ArrayLike<number>): string {
  let text = '';
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    if (!(code >= 0 && code <= 0x10ffff)) throw new MatFormatError('a char array holds something else');
    // UTF-16 halves are joined again by the string itself.
    text += code <= 0xffff ? String.fromCharCode(code) : String.fromCodePoint(code);
  }
  return text;
}
