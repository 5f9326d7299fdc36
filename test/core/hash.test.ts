import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256Of, sha256OfFile } from '../../core/hash.js';
import { temporaryFolder } from '../support/folders.js';

test.each([0, 1, 1 << 20, (1 << 21) + 3])(
  'the hash of a file of %i bytes is that of its content',
  async (length) => {
    const file = join(temporaryFolder(), 'file');
    const content = Uint8Array.from({ length }, (_, i) => (i * 31) % 251);
    writeFileSync(file, content);
    expect(await sha256OfFile(file)).toBe(sha256Of(content));
  },
);

test('a file that is not there fails with its path', async () => {
  await expect(sha256OfFile('/no/such/file')).rejects.toThrow('/no/such/file');
});
