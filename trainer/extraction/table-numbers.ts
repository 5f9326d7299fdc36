/** Numbers as they stand in tables, with a decimal point or, throughout a table, with a decimal comma. */
import { numbersIn, type WrittenNumber } from './written-numbers.js';

const withComma = /^[+-]?\d*,\d+$/;
const withPoint = /^[+-]?\d*\.\d+(?:e[+-]?\d+)?$/i;

export interface NumberReader {
  /** NaN for what is no number. */
  value(cell: string): number;
  /** What to write instead of a cell that is no number. */
  remedy(cell: string): string;
}

/** A table that has both kinds is read with points: which of its commas are decimal ones, nobody can tell. */
export function numberReader(cells: Iterable<string>): NumberReader {
  let [commas, points] = [false, false];
  for (const cell of cells) {
    commas ||= withComma.test(cell);
    points ||= withPoint.test(cell);
  }
  const hasDecimalCommas = commas && !points;
  // A point in a table of decimal commas would make a mixed table of it.
  const separator = hasDecimalCommas ? ',' : '.';
  const isCertain = commas !== points;
  return {
    value: (cell) => {
      const text = hasDecimalCommas && withComma.test(cell) ? cell.replace(',', '.') : cell;
      return text === '' || /^0[xbo]/i.test(text) || !Number.isFinite(Number(text)) ? NaN : Number(text);
    },
    remedy: (cell) => {
      const half = `0${separator}5`;
      if (cell === '')
        return `Write a number, such as 0 or ${half}: what is not known has no place in training.`;
      if (/^(yes|true|ja|oui|x|✓|✔)$/i.test(cell)) return 'Write 1.';
      if (/^(no|false|nein|non|-|–|—)$/i.test(cell)) return 'Write 0.';
      const found = numbersIn(cell);
      // A wrong number that is obeyed is worse than none: of several in a cell, nobody knows which is meant.
      const readings =
        found.length === 1 ? readingsOf(found[0], isCertain ? separator : null, separator) : [];
      if (readings.length === 0) return `Write a number, such as 0 or ${half}.`;
      const [{ text, grouped }] = found;
      const what = readings.length === 1 ? readings[0] : `${readings.join(' or ')}, whichever is meant`;
      if (withComma.test(cell)) return `Write ${what}: other cells of this table have decimal points.`;
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
