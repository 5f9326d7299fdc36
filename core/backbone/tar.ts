/** Reads the files of a tar archive held in memory, as npm packs them; its content is trusted through its hash. */
export function readTar(archive: Uint8Array): Map<string, Uint8Array> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const text = (start: number, length: number): string =>
    bytes.toString('utf8', start, start + length).replace(/\0.*$/s, '');
  const files = new Map<string, Uint8Array>();
  let longName: string | null = null;
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0;) {
    const size = Number.parseInt(text(at + 124, 12).trim() || '0', 8);
    const kind = String.fromCharCode(bytes[at + 156]);
    const content = bytes.subarray(at + 512, at + 512 + size);
    if (content.length < size) throw new RangeError('the archive is cut off');
    if (kind === 'x') {
      longName = /\d+ path=([^\n]*)\n/.exec(content.toString('utf8'))?.[1] ?? null;
    } else {
      const folder = text(at + 345, 155);
      const name = longName ?? (folder === '' ? '' : `${folder}/`) + text(at, 100);
      if (kind === '0' || kind === '\0') files.set(name, content);
      longName = null;
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
