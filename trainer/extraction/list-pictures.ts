/** Which pictures there are, and of which class each is: one folder per class, or a CSV file that says so. */
import { readdir, stat } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';
import { normalisedName } from '../../core/class-name.js';
import { Failure } from '../../core/failures.js';
import { whyNotOpened } from '../../core/why-not-opened.js';
import { splitNames } from '../datasets/open-form-schema.js';
import type { LeftOut } from './attributes.js';
import { readTable } from './read-table.js';

export type SplitName = (typeof splitNames)[number];

export interface ListedPicture {
  /** Relative to the folder of images, with forward slashes. */
  readonly file: string;
  /** In the normal form of names, which that of its folder need not be (a Mac writes another one). */
  readonly className: string;
  readonly split: SplitName | null; // null: to be made
  /** In bytes, by which a resumed run notices another file; null when there is none. */
  readonly size: number | null;
}

export interface PictureList {
  readonly pictures: readonly ListedPicture[];
  readonly leftOut: readonly LeftOut[];
}

/** Everything that lies in a folder counts as a picture until it is opened, so that no file is skipped silently. */
export async function listFolders(root: string): Promise<PictureList> {
  const pictures: ListedPicture[] = [];
  const leftOut: LeftOut[] = [];
  for (const name of await visibleNames(root)) {
    const found = await stat(join(root, name)).catch(() => null);
    if (!found?.isDirectory()) {
      leftOut.push({
        file: name,
        reason: 'it is next to the class folders. Move it into the folder of its class.',
      });
      continue;
    }
    const files = await filesUnder(root, name);
    if (files.length === 0)
      leftOut.push({
        file: `${name}/`,
        reason: 'the folder holds no pictures. Add some, or remove the folder.',
      });
    const className = normalisedName(name);
    for (const { file, size } of files) pictures.push({ file, className, split: null, size });
  }
  return { pictures, leftOut };
}

/** Every file under a folder inside `root`, or under `root` itself, relative to it. */
export async function filesUnder(
  root: string,
  folder = '',
): Promise<{ file: string; size: number | null }[]> {
  const found: { file: string; size: number | null }[] = [];
  for (const name of await visibleNames(join(root, folder))) {
    const file = folder === '' ? name : `${folder}/${name}`;
    const status = await stat(join(root, file)).catch(() => null);
    if (status?.isDirectory()) found.push(...(await filesUnder(root, file)));
    else found.push({ file, size: status?.size ?? null });
  }
  return found;
}

/** In an order that depends on nothing but the names. Hidden files are the system's own (.DS_Store). */
async function visibleNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new Failure('dataset-not-found', `Cannot read the folder ${folder}: ${(error as Error).message}`, {
      cause: error,
    });
  });
  return names.filter((name) => !name.startsWith('.')).sort();
}

/**
 * `file,class` and, if wanted, `split`; files are relative to the folder of images. Lines that cannot be used are listed in `leftOut`; the caller
 * decides what they mean.
 */
export async function listTable(path: string, root: string): Promise<PictureList> {
  const { header, lines } = await readTable(path);
  const titles = header.map((title) => title.toLowerCase());
  const column = (...names: string[]): number => titles.findIndex((title) => names.includes(title));
  const [file, label, split] = [column('file', 'image'), column('class', 'label'), column('split')];
  if (file < 0 || label < 0)
    throw new Failure(
      'dataset-invalid',
      `${path} must begin with a header line: file,class or file,class,split.`,
    );
  const pictures: ListedPicture[] = [];
  const leftOut: LeftOut[] = [];
  const firstLines = new Map<string, number>();
  for (const { number, fields } of lines) {
    const [name, className] = [fields[file] ?? '', normalisedName(fields[label] ?? '')];
    const given = split < 0 ? null : (fields[split] ?? '');
    const refuse = (reason: string): void => {
      leftOut.push({ file: `${path}, line ${number}`, reason });
    };
    const before = firstLines.get(name);
    if (fields.slice(header.length).some((field) => field !== ''))
      refuse(
        `it has ${fields.length} cells for ${header.length} columns. Put names with separators in them between double quotes.`,
      );
    else if (name === '' || className === '')
      refuse('it names no file or no class. Complete it, or remove it.');
    else if (leavesFolder(name))
      refuse(`${name} lies outside of the folder of images. Name files inside of it.`);
    else if (before !== undefined)
      refuse(`${name} is listed twice, first in line ${before}. Remove one of the lines.`);
    else if (given !== null && !isSplit(given))
      refuse(`"${given}" is not a split. Write one of ${splitNames.join(', ')}.`);
    else {
      firstLines.set(name, number);
      const size = await sizeOf(join(root, name));
      if (typeof size === 'number') pictures.push({ file: name, className, split: given, size });
      else refuse(`${name} cannot be opened in ${root}: ${size}`);
    }
  }
  return { pictures, leftOut };
}

/** In bytes, or why it cannot be had. */
async function sizeOf(path: string): Promise<number | string> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? whyNotOpened({ code: 'EISDIR' }) : found.size;
  } catch (error) {
    return whyNotOpened(error);
  }
}

function isSplit(text: string): text is SplitName {
  return (splitNames as readonly string[]).includes(text);
}

/** A table from somebody else must not make us read, and copy into a dataset, files that it was not given. */
function leavesFolder(name: string): boolean {
  const [first] = normalize(name).split(sep);
  return first === '..';
}
