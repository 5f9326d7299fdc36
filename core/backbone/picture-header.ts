/**
 * What a picture declares in its first bytes, without decoding anything: how much memory decoding will take is decided on this.
 * JPEG: ITU T.81, annex B; PNG: RFC 2083, 4.1.1; WebP: RFC 9649, 2.5 to 2.7.
 */
import { pictureType, type PictureType } from './picture-type.js';

export interface PictureHeader {
  readonly type: PictureType;
  readonly width: number;
  readonly height: number;
  /** Colour components as they are stored; a palette counts as what it expands to. */
  readonly channels: number;
  readonly bytesPerSample: 1 | 2;
  /**
   * The decoder holds all of it at once: JPEG that is progressive or has a scan for each component, interlaced PNG, any WebP.
   * Otherwise it goes row by row.
   */
  readonly isHeldWhole: boolean;
  /** Of a JPEG that is held whole: how often the decoder goes over all of it. Infinity when they were not counted to the end. */
  readonly scans: number;
  /** Bytes in front of the pixels that are packed, and may be a thousand times as many when they are unpacked: text and profiles of PNG. */
  readonly packedBytes: number;
}

/** Files have some dozens of parts before their pixels. One that has more than this is read no further: its size counts as not known. */
const maxParts = 10_000;
/** Larger JPEG files with several scans are searched for them no further. */
const maxSearchedBytes = 4_000_000;

/** Null for anything that does not declare its size where it should. */
export function readPictureHeader(picture: Uint8Array): PictureHeader | null {
  const bytes = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  const type = pictureType(picture);
  const header =
    type === 'jpeg' ? jpeg(bytes) : type === 'png' ? png(bytes) : type === 'webp' ? webp(bytes) : null;
  return header && header.width > 0 && header.height > 0 ? header : null;
}

function jpeg(bytes: Buffer): PictureHeader | null {
  let at = 2; // after the start marker
  let frame: PictureHeader | null = null;
  for (let parts = 0; at + 4 <= bytes.length && bytes[at] === 0xff && parts < maxParts; parts++) {
    const marker = bytes[at + 1];
    if (marker === 0xff) {
      at += 1; // a fill byte
      continue;
    }
    // A first scan without some of the components means that more follow, for which the decoder keeps all coefficients.
    if (frame && marker === 0xda) {
      const isHeldWhole = frame.isHeldWhole || bytes[at + 4] < frame.channels;
      return { ...frame, isHeldWhole, scans: isHeldWhole ? scansFrom(bytes, at) : 1 };
    }
    // Pixels, the end, or a marker that has no length: what a decoder reads after it, we cannot know.
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda)) break;
    // Frames are 0xc0 to 0xcf, without the tables (0xc4, 0xcc) and a reserved one (0xc8) among them.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      if (at + 10 > bytes.length || frame) break;
      frame = {
        type: 'jpeg',
        height: bytes.readUInt16BE(at + 5),
        width: bytes.readUInt16BE(at + 7),
        channels: bytes[at + 9],
        bytesPerSample: bytes[at + 4] > 8 ? 2 : 1,
        isHeldWhole: (marker & 3) === 2,
        scans: 1,
        packedBytes: 0,
      };
    }
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) break; // the length counts itself
    at += 2 + length;
  }
  return frame && { ...frame, isHeldWhole: true, scans: scansFrom(bytes, at) }; // no scan was found there: the worst that there may be
}

/** Between scans nothing else has this marker: in their data 0xff is followed by a zero. */
function scansFrom(bytes: Buffer, start: number): number {
  if (bytes.length - start > maxSearchedBytes) return Infinity;
  let scans = 0;
  for (let at = start; at + 1 < bytes.length; at++)
    if (bytes[at] === 0xff && bytes[at + 1] === 0xda) scans += 1;
  return scans;
}

/** By colour type. Transparency may come with a chunk of its own, so that grey and RGB count as having it. */
const pngChannels = new Map([
  [0, 2],
  [2, 4],
  [3, 4],
  [4, 2],
  [6, 4],
]);

function png(bytes: Buffer): PictureHeader | null {
  const channels = pngChannels.get(bytes[25]);
  if (bytes.length < 29 || bytes.toString('latin1', 12, 16) !== 'IHDR' || channels === undefined) return null;
  return {
    type: 'png',
    width: bytes.readUInt32BE(16),
    height: bytes.readUInt32BE(20),
    channels,
    bytesPerSample: bytes[24] === 16 ? 2 : 1,
    isHeldWhole: bytes[28] !== 0,
    scans: 1,
    packedBytes: packedBytes(bytes),
  };
}

/** Of the chunks before the first pixels. */
function packedBytes(bytes: Buffer): number {
  let packed = 0;
  let at = 8; // after the signature
  for (let parts = 0; at + 8 <= bytes.length && parts < maxParts; parts++) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') break;
    if (type === 'zTXt' || type === 'iCCP' || (type === 'iTXt' && isPackedText(bytes, at + 8)))
      packed += length;
    at += 12 + length;
  }
  return packed;
}

/** After the keyword, of at most 79 characters and a zero. */
function isPackedText(bytes: Buffer, start: number): boolean {
  const end = bytes.indexOf(0, start);
  return end >= 0 && end < start + 80 && bytes[end + 1] === 1;
}

function webp(bytes: Buffer): PictureHeader | null {
  const size = bytes.length < 30 ? (bytes.length < 25 ? null : losslessSize(bytes)) : webpSize(bytes);
  return (
    size && {
      type: 'webp',
      ...size,
      channels: 4,
      bytesPerSample: 1,
      isHeldWhole: true,
      scans: 1,
      packedBytes: 0,
    }
  );
}

function webpSize(bytes: Buffer): { width: number; height: number } | null {
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  if (chunk === 'VP8 ')
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  return losslessSize(bytes);
}

function losslessSize(bytes: Buffer): { width: number; height: number } | null {
  if (bytes.toString('latin1', 12, 16) !== 'VP8L' || bytes[20] !== 0x2f) return null;
  const bits = bytes.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}
