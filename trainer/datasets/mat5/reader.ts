import { open, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, inflate } from 'node:zlib';
import { Failure } from '../../../core/failures.js';
import { cannotOpen } from '../problems.js';
import { arrayHeaderAt, arrayValue } from './arrays.js';
import { elementAt, matBytes } from './elements.js';
import { arrayClasses, elementTypes, headerBytes, MatFormatError } from './format.js';
import type { MatValue } from './values.js';

const inflateBuffer = promisify(inflate) as (
  bytes: Uint8Array,
  options: { chunkSize?: number; maxOutputLength?: number; finishFlush?: number },
) => Promise<Buffer>;

const truncated = 'the file is truncated, so copy it again';
/** Enough for an array's flags, dimensions and name. */
const peekBytes = 1024;
/** Deflate cannot shrink further than this, so a header that promises more is corrupt, not to be allocated for. */
const deflateLimit = 1032;

/**
 * The variables named, of a MATLAB level-5 MAT-file (`save -v6` or `-v7`); those that the file lacks are absent from the
 * result. Other variables are skipped without being inflated whole. A single-precision matrix is a view of the inflated bytes.
 */
export async function readMatFile(path: string, names: readonly string[]): Promise<Map<string, MatValue>> {
  const file = await openFile(path);
  try {
    return await readVariables(file, names);
  } catch (error) {
    const isZlib =
      error instanceof Error && 'code' in error && /^(Z_|ERR_BUFFER_TOO_LARGE)/.test(String(error.code));
    if (!(error instanceof MatFormatError) && !isZlib) throw error;
    throw new Failure('dataset-invalid', `${path} cannot be read: ${error.message}.`);
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

async function readVariables(file: FileHandle, names: readonly string[]): Promise<Map<string, MatValue>> {
  const { size } = await file.stat();
  const littleEndian = isLittleEndian(await readBytes(file, 0, Math.min(size, 520)));
  const found = new Map<string, MatValue>();
  for (let offset = headerBytes; offset < size;) {
    if (offset + 8 > size) throw new MatFormatError(truncated);
    const tag = matBytes(await readBytes(file, offset, 8), littleEndian).view;
    const type = tag.getUint32(0, littleEndian);
    const length = tag.getUint32(4, littleEndian);
    if (offset + 8 + length > size) throw new MatFormatError(truncated);
    if (type === elementTypes.compressed || type === elementTypes.matrix) {
      const compressed = type === elementTypes.compressed;
      const start = compressed ? offset + 8 : offset; // both then begin with the tag of an array
      const stored = compressed ? length : length + 8;
      const first = await readBytes(file, start, Math.min(stored, peekBytes));
      const head = compressed
        ? await inflateBuffer(first, { chunkSize: 4096, finishFlush: constants.Z_SYNC_FLUSH })
        : first;
      const { name, inflatedBytes } = peek(head, littleEndian);
      if (names.includes(name)) {
        const whole = await readBytes(file, start, stored);
        const bytes = compressed ? await inflateWhole(whole, inflatedBytes) : whole;
        found.set(name, arrayOf(bytes, littleEndian, name));
      }
    }
    offset += 8 + length;
  }
  return found;
}

function isLittleEndian(header: Buffer): boolean {
  const text = header.subarray(0, 116).toString('latin1');
  const hdf5 = '\x89HDF\r\n\x1a\n';
  if (text.startsWith('MATLAB 7.3') || text.startsWith(hdf5) || header.toString('latin1', 512) === hdf5)
    throw new MatFormatError('it is a version 7.3 (HDF5) MAT-file; load it in MATLAB and save it with -v7');
  if (header.length < headerBytes) throw new MatFormatError(`${truncated}, or it is no MAT-file`);
  const mark = header.toString('latin1', 126, 128); // "MI" written as a 16-bit number
  if (mark !== 'IM' && mark !== 'MI')
    throw new MatFormatError('it is no MATLAB level-5 MAT-file (an old one can be saved again with -v7)');
  return mark === 'IM';
}

function peek(head: Buffer, littleEndian: boolean): { name: string; inflatedBytes: number } {
  if (head.length < 8) throw new MatFormatError('a variable is truncated');
  const source = matBytes(head, littleEndian);
  const type = source.view.getUint32(0, littleEndian);
  const length = source.view.getUint32(4, littleEndian);
  const flags = head.length >= 20 ? source.view.getUint32(16, littleEndian) : 0;
  // Anything but an array is of no interest; an empty array has no name, and an opaque one no dimensions.
  if (type !== elementTypes.matrix || length === 0 || (flags & 0xff) === arrayClasses.opaque)
    return { name: '', inflatedBytes: 0 };
  return { name: arrayHeaderAt(source, 8, head.length).name, inflatedBytes: 8 + length };
}

async function inflateWhole(compressed: Buffer, size: number): Promise<Buffer> {
  if (size > compressed.length * deflateLimit + 64)
    throw new MatFormatError('a variable promises impossible sizes');
  // One chunk with room to spare: zlib then fills a single buffer, and nothing is copied together at the end.
  return inflateBuffer(compressed, {
    chunkSize: Math.max(64, size + 64),
    maxOutputLength: Math.max(64, size + 8),
  });
}

function arrayOf(bytes: Buffer, littleEndian: boolean, name: string): MatValue {
  const source = matBytes(bytes, littleEndian);
  try {
    return arrayValue(source, elementAt(source, 0, bytes.length));
  } catch (error) {
    if (!(error instanceof MatFormatError)) throw error;
    throw new MatFormatError(`in the variable "${name}", ${error.message}`);
  }
}

async function readBytes(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length); // not from the pool: offset 0, so that typed arrays can view it
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) throw new MatFormatError(truncated);
    done += bytesRead;
  }
  return bytes;
}
