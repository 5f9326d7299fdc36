/** Tensor contents, from JSON and from bytes and back. BYTES elements are preceded by their length, 32 bits, little endian. */
import { refused } from './refused.js';

const lengthBytes = 4;

export function jsonElements(data: unknown, count: number): Uint8Array[] {
  const texts: unknown[] = Array.isArray(data) ? data.flat(1) : [];
  if (texts.length !== count) throw wrongCount(texts.length, count);
  return texts.map((text, i) => {
    if (typeof text !== 'string' || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text))
      throw refused(`/data/${i}`, 'a picture in base64 is expected, without line breaks or a data: prefix');
    return Buffer.from(text, 'base64');
  });
}

export function binaryElements(bytes: Buffer, count: number): Uint8Array[] {
  const elements: Uint8Array[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const start = offset + lengthBytes;
    const end = start <= bytes.length ? start + bytes.readUInt32LE(offset) : Infinity;
    if (end > bytes.length)
      throw refused('', `element ${elements.length} reaches past the end of the tensor`);
    elements.push(bytes.subarray(start, end));
    offset = end;
    if (elements.length > count) break; // one too many says enough
  }
  if (elements.length !== count) throw wrongCount(elements.length, count);
  return elements;
}

/** Numbers, flat or in rows. */
export function jsonFloats(data: unknown, length: number): Float32Array {
  const values = new Float32Array(length);
  let filled = 0;
  const collect = (part: unknown): void => {
    if (typeof part !== 'number') throw refused('/data', `value ${filled} is not a number`);
    if (filled < length) values[filled] = part;
    filled += 1;
  };
  for (const part of Array.isArray(data) ? (data as unknown[]) : [])
    if (Array.isArray(part)) part.forEach(collect);
    else collect(part);
  if (filled !== length) throw wrongCount(filled, length);
  return finite(values);
}

export function binaryFloats(bytes: Buffer, length: number): Float32Array {
  if (bytes.length !== length * Float32Array.BYTES_PER_ELEMENT)
    throw refused(
      '',
      `its shape makes ${length * Float32Array.BYTES_PER_ELEMENT} bytes, not ${bytes.length}`,
    );
  const values = new Float32Array(length);
  // Copied, because a body's bytes need not begin where a 32-bit number may.
  new Uint8Array(values.buffer).set(bytes);
  return finite(values);
}

export function encodeElements(texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const element = Buffer.from(text, 'utf8');
      const length = Buffer.alloc(lengthBytes);
      length.writeUInt32LE(element.length);
      return [length, element];
    }),
  );
}

function finite(values: Float32Array): Float32Array {
  const bad = values.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) throw refused('/data', `value ${bad} is not a finite 32-bit number`);
  return values;
}

function wrongCount(found: number, expected: number) {
  return refused('/data', `its shape makes ${expected} values, there are ${found}`);
}
