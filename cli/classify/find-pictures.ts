/** From what was named on the command line, files and folders, to the pictures to ask about. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, join, normalize, resolve } from 'node:path';
import { Failure } from '../../core/failures.js';
import type { CommandContext } from '../context.js';

interface FoundPictures {
  /** As they are named in answers: as given, or the given folder with the path inside of it. */
  readonly files: readonly string[];
  /** Files of the folders that do not look like pictures by their names. */
  readonly skipped: readonly string[];
  /** Nothing that was named exists: most likely a typing error, and nothing to ask a server about. */
  readonly noneExists: boolean;
}

/** Also what the server refuses: such a picture is reported in its row, with what to do, instead of missing from the table. */
const pictureEndings = new Set(
  ['.jpg', '.jpeg', '.jpe', '.jfif', '.png', '.webp'].concat([
    '.gif',
    '.bmp',
    '.tif',
    '.tiff',
    '.heic',
    '.heif',
    '.avif',
    '.jxl',
    '.jp2',
  ]),
);

/** Their files; what was named without any is a mistake. */
export async function picturesNamed(
  given: readonly string[],
  context: CommandContext,
  except?: string,
): Promise<readonly string[]> {
  const { files, skipped, noneExists } = await findPictures(given, except);
  if (noneExists)
    throw new Failure('usage', `There is no file or folder ${given.join(', ')}. Check the name.`);
  if (files.length === 0) throw new Failure('usage', nothingFound(given, skipped));
  if (skipped.length > 0)
    context.note(
      skipped.length === 1
        ? `Skipped a file that is not named like a picture: ${skipped[0]}.`
        : `Skipped ${skipped.length} files that are not named like pictures, such as ${skipped[0]}.`,
    );
  return files;
}

function nothingFound(given: readonly string[], skipped: readonly string[]): string {
  const others =
    skipped.length > 0 ? ` ${skipped.length} files are of other kinds, such as ${skipped[0]}.` : '';
  return `There is no picture in ${given.join(', ')}.${others} Pictures end with .jpg, .png or .webp.`;
}

/** A file that is named is a picture whatever its ending. `except` is a folder that is not searched. */
async function findPictures(given: readonly string[], except?: string): Promise<FoundPictures> {
  const files = new Set<string>();
  const skipped: string[] = [];
  const searched = new Set<string>();
  const excluded = except === undefined ? null : resolve(except);

  const search = async (folder: string): Promise<void> => {
    const real = await realpath(folder);
    if (searched.has(real) || resolve(folder) === excluded) return; // a link may lead back to a folder above
    searched.add(real);
    // In an order that depends on nothing but the names. Hidden files are the system's own (.DS_Store).
    const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
    for (const name of names) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => null);
      if (found?.isDirectory()) await search(path);
      else if (pictureEndings.has(extname(name).toLowerCase())) files.add(path);
      else skipped.push(path);
    }
  };
  let noneExists = true;
  for (const path of given) {
    const found = await stat(path).catch(() => null);
    if (found) noneExists = false;
    if (found?.isDirectory()) await search(normalize(path));
    else files.add(path); // one that does not exist is reported in its row
  }
  return { files: [...files], skipped, noneExists };
}
