/** What may be the name of a class. Two names that look alike must be one name, and a name must be visible to be chosen. */

/** Scripts in which joiners change how letters connect, and so can be seen. */
const joiningScripts = [
  'Arabic',
  'Devanagari',
  'Bengali',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');

/** Parts of an emoji that consists of several characters, and joiners between letters that need them. */
const visibleJoiners = new RegExp(
  `(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}])\\uFE0F?(?:\\u200D(?=\\p{Extended_Pictographic}))?|` +
    `(?<=[${joiningScripts}\\p{M}])[\\u200C\\u200D](?=[${joiningScripts}])`,
  'gu',
);

/** Control, zero-width, bidirectional and filler characters, line separators, and the blank Braille pattern. */
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]/u;

/** The one form in which a name is stored: letters that can be written in two ways are written in one. */
export function normalisedName(name: string): string {
  return name.normalize('NFC');
}

/** What is wrong with a name; null when nothing is. */
export function problemOfName(name: string): string | null {
  if (name === '' || name.trim() === '') return 'a name is needed';
  if (/\p{Surrogate}/u.test(name)) return 'this is not valid Unicode text';
  const hidden = invisible.exec(name.replace(visibleJoiners, ''))?.[0];
  if (hidden === undefined) return problemOfVisible(name);
  const code = hidden.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `characters that cannot be seen are not possible in a name; this one has U+${code}`;
}

function problemOfVisible(name: string): string | null {
  if (name !== name.trim()) return 'a name neither starts nor ends with a space';
  if (name === '.' || name === '..') return 'a name of only dots cannot be part of an address';
  return null;
}
