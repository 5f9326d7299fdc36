/**
 * Does a JPEG carry the profile of sRGB itself? Most cameras and programs put one in. Converting by it changes nothing,
 * yet takes as long as decoding the picture, so checking the header first pays off.
 * Segments: ITU T.81, annex B; profiles: ICC.1:2022, sections 7 and B.4.
 */
export function hasSrgbProfile(jpeg: Uint8Array): boolean {
  const bytes = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  let at = 2; // after the start marker
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1];
    if (marker === 0xda) return false; // pixels begin
    const length = bytes.readUInt16BE(at + 2);
    const segment = bytes.subarray(at + 4, at + 2 + length);
    const isProfile = marker === 0xe2 && segment.toString('latin1', 0, 12) === 'ICC_PROFILE\0';
    if (isProfile) return segment[13] === 1 && isSrgb(segment.subarray(14)); // in one segment
    at += 2 + length;
  }
  return false;
}

/** Not every profile named sRGB: some manufacturers' variants differ by several values. */
const standardName = /sRGB IEC61966-2\.1|[^ \w]sRGB$/; // the latter: nothing but sRGB, after the text's length

/** By its description, a tag that every profile has. */
function isSrgb(profile: Buffer): boolean {
  const headerLength = 128;
  if (profile.length < headerLength + 4 || profile.toString('latin1', 16, 20) !== 'RGB ') return false;
  const count = Math.min(profile.readUInt32BE(headerLength), 100);
  for (let i = 0; i < count; i++) {
    const entry = headerLength + 4 + 12 * i;
    if (entry + 12 > profile.length) return false;
    if (profile.toString('latin1', entry, entry + 4) !== 'desc') continue;
    const [start, length] = [profile.readUInt32BE(entry + 4), profile.readUInt32BE(entry + 8)];
    const text = profile.toString('latin1', start, start + length).replaceAll('\0', ''); // ASCII, or UTF-16
    return standardName.test(text);
  }
  return false;
}
