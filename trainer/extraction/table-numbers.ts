/** Numbers as they stand in tables, with a decimal point or, throughout a table, with a decimal comma. */
import { numbersIn, type WrittenNumber } from './written-numbers.js';

const withComma = /^[+-]?\d*,\d+$/;
const withPoint = /^[+-]?\d*\.\d+(?:e[+-]?\d+)?$/i;

/** What Excel makes of 1.5 where points separate days from months. */
const dateCell =
  /^\d{1,2}[. -]*(jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]*\.?(\s*-?\d+)?$/i;

export const isYesWord = (cell: string): boolean => /^(y|yes|true|ja|oui|s[ií]|x|✓|✔)$/i.test(cell);
export const isNoWord = (cell: string): boolean => /^(n|no|false|nein|non|-|–|—)$/i.test(cell);

export interface NumberReader {
  /** NaN for what is no number. */
  value(cell: string): number;
  /** What to write instead of a cell that is no number. */
  remedy(cell: string): string;
}

/** Of a table that has both kinds the more frequent one is right, so that the odd cells are named and not all others. */
export function numberReader(cells: Iterable<string>): NumberReader {
  let [commas, points] = [0, 0];
  for (const cell of cells) {
    if (withComma.test(cell)) commas += 1;
    if (withPoint.test(cell)) points += 1;
  }
  const hasDecimalCommas = commas > points;
  // A point in a table of decimal commas would make a mixed table of it.
  const separator = hasDecimalCommas ? ',' : '.';
  const isCertain = commas > 0 !== points > 0;
  const odd = hasDecimalCommas ? withPoint : withComma;
  return {
    value: (cell) => {
      if (odd.test(cell)) return NaN;
      const text = hasDecimalCommas ? cell.replace(',', '.') : cell;
      return text === '' || /^0[xbo]/i.test(text) || !Number.isFinite(Number(text)) ? NaN : Number(text);
    },
    remedy: (cell) => {
      const half = `0${separator}5`;
      if (cell === '') return `Write a number, such as 0 or ${half}: training needs a value in every cell.`;
      if (isYesWord(cell)) return 'Write 1.';
      if (isNoWord(cell)) return 'Write 0.';
      if (/^#\w/.test(cell))
        return 'Write a number: this is what a spreadsheet shows for a formula that fails.';
      if (dateCell.test(cell))
        return 'The spreadsheet turned a number into a date: format the column as "Number", and enter it again.';
      const found = numbersIn(cell);
      // A wrong number that is obeyed is worse than none: of several in a cell, nobody knows which is meant.
      const readings =
        found.length === 1 ? readingsOf(found[0], isCertain ? separator : null, separator) : [];
      if (readings.length === 0) return `Write a number, such as 0 or ${half}.`;
      const [{ text, grouped }] = found;
      const what = readings.length === 1 ? readings[0] : `${readings.join(' or ')}, whichever is meant`;
      if (odd.test(cell))
        return `Write ${what}: other cells of this table have decimal ${hasDecimalCommas ? 'commas' : 'points'}.`;
      if (cell.endsWith('%') && readings.length === 1)
        return `Write ${what}, or one hundredth of it, whichever the other cells of the column have.`;
      if (text !== cell)
        return `Write ${what}${readings.length === 1 ? ' alone' : ''}, without unit or other words.`;
      return readings.length === 1 && grouped !== null
        ? `Write ${what}, with nothing between thousands.`
        : `Write ${what}.`;
    },
  };
}

/** As this table would have them; where its cells tell what its decimal separator is, that separator means nothing else. */
function readingsOf({ grouped, decimal }: WrittenNumber, known: string | null, separator: string): string[] {
  const readings = decimal !== null && decimal.separator === known ? [decimal] : [grouped, decimal];
  return readings.flatMap((one) =>
    one === null ? [] : [one.decimals === '' ? one.whole : `${one.whole}${separator}${one.decimals}`],
  );
}
