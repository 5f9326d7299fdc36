import { notify } from '../state/notices.js';

/** Gives the files of a drop to `use`, those in folders too; says so where there are none, or they cannot be read. */
export async function withDroppedFiles(
  transfer: DataTransfer | null,
  use: (files: readonly File[]) => unknown,
): Promise<void> {
  try {
    const files = await droppedFiles(transfer);
    if (files.length > 0) use(files);
    else notify('There was no file in what you dropped. Save the picture first, or copy and paste it.');
  } catch (error) {
    notify(`What you dropped cannot be read: ${(error as Error).message}`);
  }
}

async function droppedFiles(transfer: DataTransfer | null): Promise<File[]> {
  const items = Array.from(transfer?.items ?? []).filter(({ kind }) => kind === 'file');
  // All are asked for before the first await: a drop gives its items away only during the event.
  const given = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  // What comes from another page instead of a disk is a file without an entry.
  const found = given.map(({ entry, file }) => (entry ? filesOf(entry) : Promise.resolve(file ?? [])));
  return (await Promise.all(found)).flat();
}

/** In the order of their names. Hidden files in folders are the system's own (.DS_Store). */
async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (!entry.isDirectory)
    return [
      await new Promise<File>((resolve, reject) => {
        (entry as FileSystemFileEntry).file(resolve, reject);
      }),
    ];
  const entries = (await entriesOf(entry as FileSystemDirectoryEntry)).filter(
    ({ name }) => !name.startsWith('.'),
  );
  entries.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  const files: File[] = [];
  for (const one of entries) files.push(...(await filesOf(one)));
  return files;
}

/** A folder is read some entries at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return entries;
    entries.push(...some);
  }
}
