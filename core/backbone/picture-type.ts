export type PictureType = 'jpeg' | 'png' | 'webp';

/** Detected from its first bytes, since the name of a file proves nothing. */
export function pictureType(bytes: Uint8Array): PictureType | null {
  const starts = (signature: string, offset = 0): boolean =>
    bytes.length >= offset + signature.length &&
    Buffer.from(signature, 'latin1').every((byte, i) => bytes[offset + i] === byte);
  if (starts('\xff\xd8\xff')) return 'jpeg';
  if (starts('\x89PNG\r\n\x1a\n')) return 'png';
  if (starts('RIFF') && starts('WEBP', 8)) return 'webp';
  return null;
}
