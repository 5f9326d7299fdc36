import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

export function sha256Of(...parts: (Uint8Array | string)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  // One buffer for the whole file: new memory for each part would take several times as long as the hash.
  const buffer = new Uint8Array(1 << 20);
  const file = await open(path);
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

export function bytesOf(values: Float32Array | Int32Array | Uint16Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
