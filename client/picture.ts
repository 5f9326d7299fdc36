/** A picture as callers have it: from a file input, a download, or a file that was read (a Buffer is a Uint8Array). */
export type Picture = Blob | ArrayBuffer | Uint8Array;

const kinds = [
  { type: 'image/jpeg', offset: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/png', offset: 0, bytes: [0x89, 0x50, 0x4e, 0x47] },
  { type: 'image/webp', offset: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

/** With its type: the one given, its own, or the one detected from its first bytes. */
export async function asBlob(picture: Picture, type?: string): Promise<Blob> {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion -- browsers' types refuse memory that threads share
  const plain = picture instanceof Blob ? picture : new Blob([picture as Uint8Array<ArrayBuffer>]);
  const known = type ?? plain.type;
  return plain.slice(0, plain.size, known === '' ? await sniffed(plain) : known);
}

async function sniffed(picture: Blob): Promise<string> {
  const start = new Uint8Array(await picture.slice(0, 12).arrayBuffer());
  const found = kinds.find(({ offset, bytes }) => bytes.every((byte, i) => start[offset + i] === byte));
  // The server inspects the bytes whatever their declared type, and reports what is wrong with them.
  return found?.type ?? 'image/jpeg';
}
