/** Files of a drop, those in folders too. */
export async function droppedFiles(transfer: DataTransfer | null): Promise<File[]> {
  // All entries are asked for before the first await: a drop gives its items away only during the event.
  const entries = Array.from(transfer?.items ?? [], (item) => item.webkitGetAsEntry());
  return (await Promise.all(entries.map(async (entry) => (entry ? filesOf(entry) : [])))).flat();
}

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile)
    return [
      await new Promise<File>((resolve, reject) => {
        (entry as FileSystemFileEntry).file(resolve, reject);
      }),
    ];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (;;) {
    // A folder is read some entries at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return files;
    for (const one of some) files.push(...(await filesOf(one)));
  }
}
