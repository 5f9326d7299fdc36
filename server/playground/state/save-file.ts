/** Hands text to the reader as a download. A byte order mark tells spreadsheets that it is UTF-8. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob(['\ufeff', text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 10_000);
}
