/** What the system says of a file, in words: EISDIR is no message. */
export function whyNotOpened(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file.',
    EISDIR: 'it is a folder. Name the file in it.',
    EACCES: 'you have no permission to read it.',
  };
  return (code === undefined ? undefined : known[code]) ?? message;
}
