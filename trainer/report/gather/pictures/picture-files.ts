/** Where the pictures of a dataset are now. */
import { stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { Dataset } from '../../../datasets/dataset.js';

/**
 * Datasets name pictures relative to a folder, or by the path on the machine where somebody made the features. So each name is looked
 * for in the folder given, or else in the dataset's own, as it is and then without its first folders.
 */
export class PictureFiles {
  private readonly folder: string | null;

  constructor(
    private readonly dataset: Pick<Dataset, 'imageFiles' | 'imageFolder'>,
    given: string | undefined,
  ) {
    this.folder = given ?? dataset.imageFolder ?? null;
  }

  /** Why there cannot be any; null where it is worth looking. */
  whyNone(): string | null {
    if (!this.dataset.imageFiles) return 'the dataset does not say from which pictures its features came';
    if (this.folder === null && !this.dataset.imageFiles.some((name) => isAbsolute(name)))
      return 'the dataset does not say in which folder its pictures are; name it with --images';
    return null;
  }

  /** As the dataset has it; of any system. */
  nameOf(row: number): string {
    return this.dataset.imageFiles?.[row] ?? '';
  }

  /** Null when it is not there. */
  async find(row: number): Promise<string | null> {
    const name = this.nameOf(row);
    if (name === '') return null;
    const parts = name.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..');
    const { folder } = this;
    const places = [
      ...(isAbsolute(name) ? [name] : []),
      ...(folder === null ? [] : parts.map((_, i) => join(resolve(folder), ...parts.slice(i)))),
    ];
    for (const place of places) if (await isFile(place)) return place;
    return null;
  }
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
