/**
 * The file of a network after its hash was verified. Workers open it by its path whenever one starts, hours later perhaps: by then
 * it must still be the same file, or have the same content.
 */
import { stat } from 'node:fs/promises';
import { Failure } from '../failures.js';
import { sha256OfFile } from '../hash.js';

/** Changes with every write to a file and with every replacement of it: nobody can set the change time (ctime) of a file. */
export type FileState = string;

export async function fileState(path: string): Promise<FileState> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

export class VerifiedFile {
  constructor(
    private readonly path: string,
    readonly sha256: string,
    /** Taken before the content was verified; left out, the content is verified at the first check. */
    private verified?: FileState,
  ) {}

  /** Of the last time that its content was verified. */
  get state(): FileState | undefined {
    return this.verified;
  }

  /** Fails when it is another file by now. Its content is read only when its state has changed. */
  async check(): Promise<void> {
    try {
      const now = await fileState(this.path);
      if (now === this.verified) return;
      if ((await sha256OfFile(this.path)) !== this.sha256)
        throw new Failure(
          'backbone-invalid',
          `${this.path} is no longer the file that was verified when the model was loaded. No worker is started with it. Put the right file back, or fetch it again with "unseen backbone pull --force".`,
        );
      this.verified = now;
    } catch (error) {
      if (error instanceof Failure) throw error;
      const { message } = error as Error;
      throw new Failure('backbone-unavailable', `Cannot read ${this.path}: ${message}`, { cause: error });
    }
  }
}
