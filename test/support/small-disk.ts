import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEndOfFile } from './runner/end-of-file.js';

interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte. */
  fill(): void;
  free(): void;
}

/** A file system of its own, of a megabyte or two, that can really be full; null where this user may not mount one. */
export function mountSmallDisk(kibibytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'unseen-small-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', folder]);
  if (mounted.status !== 0) {
    rmdirSync(folder);
    return null;
  }
  atEndOfFile(() => {
    spawnSync('umount', ['--lazy', folder]);
    rmdirSync(folder);
  });
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      for (let size = kibibytes * 1024; size >= 1; size = Math.floor(size / 2))
        try {
          writeFileSync(filler, new Uint8Array(size), { flag: 'a' });
        } catch {
          // less is left than that
        }
    },
    free() {
      rmSync(filler);
    },
  };
}
