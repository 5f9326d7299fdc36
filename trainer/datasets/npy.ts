/** NumPy's .npy files (format 1.0 and 2.0): https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
import { open, readFile } from 'node:fs/promises';
import { Failure } from '../../core/failures.js';
import { fromHalf } from '../../core/half.js';
import { bytesOf } from '../../core/hash.js';
import { matrix, piecesOf, type Matrix, type RowSource } from '../../core/matrix.js';
import { cannotOpen } from './problems.js';

type NpyValues = Float32Array | Float64Array | Int32Array;

interface NpyArray {
  readonly shape: readonly number[];
  readonly values: NpyValues; // row-major; <i8 comes as Float64Array, exact up to 2^53, <f2 as Float32Array
}

const magic = '\x93NUMPY';
const bytesPerValue: Readonly<Record<string, number>> = {
  '<f2': 2,
  '<f4': 4,
  '<f8': 8,
  '<i4': 4,
  '<i8': 8,
};

export async function readNpy(path: string): Promise<NpyArray> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw cannotOpen(path, error);
  });
  const { shape, type, isFortran, start } = parseHeader(path, bytes);
  const width = bytesPerValue[type];
  const count = shape.reduce((product, size) => product * size, 1);
  if (bytes.length - start !== count * width)
    refuse(
      path,
      `it holds ${bytes.length - start} bytes of data instead of ${count * width}; it is truncated or damaged`,
    );
  const values = typedValues(bytes, start, type, count);
  if (!isFortran || shape.length < 2) return { shape, values };
  if (shape.length > 2)
    refuse(path, 'it has more than two dimensions in Fortran order; save it with numpy.ascontiguousarray');
  return { shape, values: transposed(values, shape[1], shape[0]) };
}

interface NpyHeader {
  readonly shape: readonly number[];
  readonly type: string;
  readonly isFortran: boolean;
  readonly start: number; // of the data
}

/** The header alone, without reading the data. */
export async function readNpyHeader(path: string): Promise<NpyHeader> {
  const file = await open(path).catch((error: unknown) => {
    throw cannotOpen(path, error);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeaderBytes), 0, maxHeaderBytes, 0);
    return parseHeader(path, buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

const maxHeaderBytes = 1 << 16; // a header names a type and a shape, nothing long

function parseHeader(path: string, bytes: Buffer): NpyHeader {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 6) !== magic) refuse(path, 'it is no .npy file');
  const isFirstVersion = bytes[6] === 1;
  if (!isFirstVersion && bytes[6] !== 2)
    refuse(path, `its format version ${bytes[6]} is not supported; save it with numpy.save`);
  const start = isFirstVersion ? 10 : 12;
  const dataStart = start + (isFirstVersion ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8));
  if (dataStart > bytes.length) refuse(path, 'it is truncated');

  const header = bytes.toString('latin1', start, dataStart);
  const type = /'descr'\s*:\s*'([^']*)'/.exec(header)?.[1] ?? refuse(path, 'its header names no single type');
  if (!(type in bytesPerValue))
    refuse(path, `it holds ${type}; convert it with numpy's astype to <f2, <f4, <f8, <i4 or <i8`);
  const isFortran = /'fortran_order'\s*:\s*(True|False)/.exec(header)?.[1] === 'True';
  const shapeText =
    /'shape'\s*:\s*\(([\d,\s]*)\)/.exec(header)?.[1] ?? refuse(path, 'its header names no shape');
  const shape = shapeText.split(',').flatMap((part) => (part.trim() === '' ? [] : [Number(part)]));
  return { shape, type, isFortran, start: dataStart };
}

function refuse(path: string, why: string): never {
  throw new Failure('dataset-invalid', `${path} cannot be read: ${why}.`);
}

function typedValues(bytes: Buffer, start: number, type: string, count: number): NpyValues {
  if (type === '<i8')
    return Float64Array.from({ length: count }, (_, i) => Number(bytes.readBigInt64LE(start + i * 8)));
  if (type === '<f2') return fromHalf(new Uint16Array(new Uint8Array(bytes.subarray(start)).buffer));
  const arrayType = { '<f4': Float32Array, '<f8': Float64Array, '<i4': Int32Array }[type]!;
  const offset = bytes.byteOffset + start;
  // NumPy pads its headers so that data lies aligned; other writers may not.
  if (offset % arrayType.BYTES_PER_ELEMENT === 0)
    return new arrayType(bytes.buffer as ArrayBuffer, offset, count);
  return new arrayType(new Uint8Array(bytes.subarray(start)).buffer);
}

/** Of row-major (rows, columns); what Fortran order stores is the transpose of what its shape says. */
function transposed(values: NpyValues, rows: number, columns: number): NpyValues {
  const result = new (values.constructor as new (length: number) => NpyValues)(values.length);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) result[j * rows + i] = values[i * columns + j];
  return result;
}

export async function readNpyMatrix(path: string): Promise<Matrix> {
  const { shape, values } = await readNpy(path);
  if (shape.length !== 2)
    throw new Failure(
      'dataset-invalid',
      `${path} has ${shape.length} dimensions; features need two (rows, values).`,
    );
  return matrix(shape[0], shape[1], values instanceof Float32Array ? values : Float32Array.from(values));
}

/** Of float32 values. */
export function npyHeader({ rows, columns }: Pick<RowSource, 'rows' | 'columns'>): Buffer {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
  const padded = Math.ceil((10 + text.length + 1) / 64) * 64 - 10; // data begins at a multiple of 64
  const header = Buffer.alloc(10 + padded, ' ');
  header.write(magic, 0, 'latin1');
  header.set([1, 0], 6);
  header.writeUInt16LE(padded, 8);
  header.write(text, 10, 'latin1');
  header.write('\n', 9 + padded, 'latin1');
  return header;
}

/** A matrix of float32, piece by piece: the rows may be too many for memory. */
export async function writeNpyRows(path: string, source: RowSource): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(npyHeader(source));
    for (const { data } of piecesOf(source)) await file.writeFile(bytesOf(data));
  } finally {
    await file.close();
  }
}
