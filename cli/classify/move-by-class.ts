/** --move-to: each picture into a folder named after the class that it was recognised as. */
import { constants } from 'node:fs';
import { copyFile, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { Failure } from '../../core/failures.js';
import type { RecordedAnswer } from './answer-formats.js';

/** For pictures that look like none of the classes. */
const unknownFolder = 'none of these';

export class MoveByClass {
  /** Pictures that were no longer there. */
  gone = 0;

  constructor(
    readonly root: string,
    /** Pictures that look like none of the classes go to the nearest one, too. */
    private readonly unknownToNearest: boolean,
  ) {}

  /** Where pictures go that look like none of the classes. */
  get ofUnknown(): string {
    return this.unknownToNearest
      ? 'moved to the nearest class if they have one'
      : `moved to ${join(this.root, unknownFolder)}`;
  }

  /** A picture without a class stays where it is. */
  async move(file: string, { class: name, verdict }: RecordedAnswer): Promise<void> {
    const folder = verdict === 'unknown' && !this.unknownToNearest ? unknownFolder : folderName(name);
    if (folder === '') return;
    try {
      if (!(await moveInto(file, join(this.root, folder)))) this.gone += 1;
    } catch (error) {
      throw new Failure(
        'usage',
        `Cannot move ${file} to ${join(this.root, folder)}: ${(error as Error).message}. Pictures moved so far are there; the others are where they were.`,
        { cause: error },
      );
    }
  }
}

/** Nothing is overwritten: a picture whose name is taken gets a number. False when there is no such picture any more. */
async function moveInto(file: string, folder: string): Promise<boolean> {
  if (!(await isThere(file))) return false;
  await mkdir(folder, { recursive: true });
  const ending = extname(file);
  const stem = basename(file, ending);
  for (let number = 1; ; number++) {
    const target = join(folder, number === 1 ? `${stem}${ending}` : `${stem}-${number}${ending}`);
    try {
      await (await open(target, 'wx')).close(); // takes the name, so that two moves cannot choose the same
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    try {
      await moveOver(file, target);
      return true;
    } catch (error) {
      await unlink(target); // or it would look like a picture
      if (!(await isThere(file))) return false;
      throw error;
    }
  }
}

async function moveOver(file: string, target: string): Promise<void> {
  try {
    await rename(file, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFile(file, target, constants.COPYFILE_FICLONE); // another disk
    await unlink(file);
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** A class may be called anything; a folder may not, and must not lead out of its parent. Empty for no class. */
function folderName(className: string): string {
  if (className === '') return '';
  // eslint-disable-next-line no-control-regex -- control characters are what must go
  const plain = className.replace(/[/\\:*?"<>|\u0000-\u001f]/g, '_').replace(/[. ]+$/, '');
  return plain === '' || plain.startsWith('.') ? `_${plain}` : plain;
}
