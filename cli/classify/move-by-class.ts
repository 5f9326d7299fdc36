/** --move-to: each picture into a folder named after the class that it was recognised as. */
import { constants } from 'node:fs';
import { copyFile, mkdir, open, rename, unlink } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

/** Nothing is overwritten: a picture whose name is taken gets a number. Answers the new path. */
export async function moveByClass(file: string, className: string, root: string): Promise<string> {
  const folder = join(root, folderName(className));
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
    await moveOver(file, target);
    return target;
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

/** A class may be called anything; a folder may not, and must not lead out of its parent. */
function folderName(className: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what must go
  const plain = className.replace(/[/\\:*?"<>|\u0000-\u001f]/g, '_').replace(/[. ]+$/, '');
  return plain === '' || plain.startsWith('.') ? `_${plain}` : plain;
}
