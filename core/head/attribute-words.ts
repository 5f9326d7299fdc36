/** Attributes in words, for people: `has_bill_shape::cone` is "bill shape cone", and `has::yellow` is "yellow". */

/** What comes before `::`: attributes of one family are alternatives, or parts of one answer. Null: it stands alone. */
export function familyOf(name: string): string | null {
  const at = name.lastIndexOf('::');
  return at > 0 ? name.slice(0, at) : null;
}

export function wordsOf(name: string): string {
  return name
    .split('::')
    .map((part) =>
      part
        .replace(/^has(?:[-_\s]|$)/, '')
        .replace(/[_\s]+/g, ' ')
        .trim(),
    )
    .filter((part) => part !== '')
    .join(' ');
}

/** What comes behind `::`: the same option of several families, such as a colour of several parts. */
export function optionOf(name: string): string {
  return name.slice(name.lastIndexOf('::') + 1).replace(/^:/, '');
}

/** "a, b and c", or with another word before the last. */
export function listInWords(words: readonly string[], last = 'and'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${last} ${words[words.length - 1]}`;
}

/** What an attribute is, where somebody has said so: "number of petals", "length of the bill, in cm"; '' otherwise. */
export function noteInWords(note: { description?: string | undefined; unit?: string | undefined }): string {
  const { description = '', unit = '' } = note;
  return [description, unit === '' ? '' : `in ${unit}`].filter((part) => part !== '').join(', ');
}
