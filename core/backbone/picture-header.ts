/**
 * What a picture declares in its first bytes, without decoding anything: how much memory decoding will take is decided on this.
 * JPEG: ITU T.81, annex B; PNG: RFC 2083, 4.1.1; WebP: RFC 9649, 2.5 to 2.7.
 */
import { pictureType, type PictureType } from './picture-type.js';

interface PictureHeader {
  readonly type: PictureType;
  readonly width: number;
  readonly height: number;
  /** Colour components as they are stored; a palette counts as what it expands to. */
  readonly channels: number;
  readonly bytesPerSample: 1 | 2;
  /** The decoder holds all of it at once: progressive JPEG, interlaced PNG, any WebP. Otherwise it goes row by row. */
  readonly isHeldWhole: boolean;
}

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
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1];
    if (marker === 0xff) {
      at += 1; // a fill byte
      continue;
    }
    // Pixels, the end, or a marker that has no length, before any frame: what a decoder reads after it, we cannot know.
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda)) return null;
    // Frames are 0xc0 to 0xcf, without the tables (0xc4, 0xcc) and a reserved one (0xc8) among them.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      if (at + 10 > bytes.length) return null;
      return {
        type: 'jpeg',
        height: bytes.readUInt16BE(at + 5),
        width: bytes.readUInt16BE(at + 7),
        channels: bytes[at + 9],
        bytesPerSample: bytes[at + 4] > 8 ? 2 : 1,
        isHeldWhole: (marker & 3) === 2,
      };
    }
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) return null; // the length counts itself
    at += 2 + length;
  }
  return null;
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
  };
}

function webp(bytes: Buffer): PictureHeader | null {
  const size = bytes.length < 30 ? (bytes.length < 25 ? null : losslessSize(bytes)) : webpSize(bytes);
  return size && { type: 'webp', ...size, channels: 4, bytesPerSample: 1, isHeldWhole: true };
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
