import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { arrayClasses, elementTypes, headerBytes, paddedTo8 } from './format.js';

const deflateBuffer = promisify(deflate);

/** What datasets are made of: numbers in MATLAB's column-major order, and columns of strings. */
export type Writable =
  | { readonly rows: number; readonly columns: number; readonly values: Float32Array | Float64Array }
  | readonly string[];

/** A compressed level-5 MAT-file (as `save -v7` writes). The same variables give the same bytes: it holds no date. */
export async function writeMatFile(
  path: string,
  variables: Readonly<Record<string, Writable>>,
): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(fileHeader());
    for (const [name, value] of Object.entries(variables)) {
      const compressed = await deflateBuffer(Buffer.concat(variable(name, value)));
      await file.writeFile(tag(elementTypes.compressed, compressed.length));
      await file.writeFile(compressed);
    }
  } finally {
    await file.close();
  }
}

function fileHeader(): Buffer {
  const header = Buffer.alloc(headerBytes, ' ');
  header.write('MATLAB 5.0 MAT-file, written by Unseen', 0, 'latin1');
  header.fill(0, 116, 124); // no subsystem data
  header.writeUInt16LE(0x0100, 124);
  header.write('IM', 126, 'latin1');
  return header;
}

function isStrings(value: Writable): value is readonly string[] {
  return Array.isArray(value);
}

function variable(name: string, value: Writable): Buffer[] {
  if (!isStrings(value)) {
    const isDouble = value.values instanceof Float64Array;
    const bytes = Buffer.from(value.values.buffer, value.values.byteOffset, value.values.byteLength);
    return array(
      name,
      isDouble ? arrayClasses.double : arrayClasses.single,
      [value.rows, value.columns],
      [...element(isDouble ? elementTypes.double : elementTypes.single, bytes)],
    );
  }
  return array(
    name,
    arrayClasses.cell,
    [value.length, 1],
    value.flatMap((text) => {
      const codes = Buffer.from(text, 'utf16le'); // as UINT16, which every reader of the format knows
      return array('', arrayClasses.char, [1, codes.length / 2], element(elementTypes.uint16, codes));
    }),
  );
}

function array(name: string, arrayClass: number, dimensions: number[], content: Buffer[]): Buffer[] {
  const parts = [
    ...element(elementTypes.uint32, Buffer.from(Uint32Array.of(arrayClass, 0).buffer)),
    ...element(elementTypes.int32, Buffer.from(Int32Array.from(dimensions).buffer)),
    ...element(elementTypes.int8, Buffer.from(name, 'latin1')),
    ...content,
  ];
  return [
    tag(
      elementTypes.matrix,
      parts.reduce((sum, part) => sum + part.length, 0),
    ),
    ...parts,
  ];
}

function element(type: number, bytes: Buffer): Buffer[] {
  return [tag(type, bytes.length), bytes, Buffer.alloc(paddedTo8(bytes.length) - bytes.length)];
}

function tag(type: number, length: number): Buffer {
  return Buffer.from(Uint32Array.of(type, length).buffer);
}
