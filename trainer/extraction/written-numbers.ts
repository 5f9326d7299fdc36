/** Numbers in a text as people write them: 1.234,5 and 1,234.5, 1 234 and 1’234, -3 and −3. */

/** What a number means, with its sign; without decimals and separator when it has none. */
interface Reading {
  readonly whole: string;
  readonly separator: string;
  readonly decimals: string;
}

/** 1.234 can be read in both ways, 12.34.5 in none. */
export interface WrittenNumber {
  readonly text: string;
  /** Read with separators between thousands. */
  readonly grouped: Reading | null;
  /** Read without them: all digits stand together, before and after at most one separator. */
  readonly decimal: Reading | null;
}

const between = String.raw`[.,'’ \u00a0\u202f]`;
/** A sign or a point in the middle of a word is none: "A-5", "ca.5". */
const outsideWord = String.raw`(?<![\p{L}\d])`;
const numbers = new RegExp(
  String.raw`(?:${outsideWord}([+\-−–]))?(\d+(?:${between}\d+)*|${outsideWord}[.,]\d+)`,
  'gu',
);
const grouped = new RegExp(
  String.raw`^([1-9]\d{0,2}(${between})\d{3}(?:\2\d{3})*)(?:(?!\2)([.,])(\d+))?$`,
  'u',
);
const decimal = /^(\d*)(?:([.,])(\d+))?$/u;

export function numbersIn(text: string): WrittenNumber[] {
  return Array.from(text.matchAll(numbers), ([all, sign = '', digits]) => {
    const minus = sign === '' || sign === '+' ? '' : '-';
    const inGroups = grouped.exec(digits);
    const together = decimal.exec(digits);
    return {
      text: all,
      grouped: inGroups && readingOf(minus + inGroups[1].replace(/\D/g, ''), inGroups.at(3), inGroups.at(4)),
      decimal: together && readingOf(minus + (together[1] || '0'), together.at(2), together.at(3)),
    };
  });
}

function readingOf(whole: string, separator = '', decimals = ''): Reading {
  return { whole, separator, decimals };
}
