/** --body-seconds 2 becomes { bodySeconds: '2' }. */
export function readFlags(words: readonly string[]): Record<string, string> {
  const flags: Record<string, string> = {};
  for (let i = 0; i < words.length; i += 2)
    flags[words[i].slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())] = words[i + 1];
  return flags;
}
