/** Numbers as they stand in tables, with a decimal point or, throughout a table, with a decimal comma. */

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
  return {
    value: (cell) => {
      const text = hasDecimalCommas && withComma.test(cell) ? cell.replace(',', '.') : cell;
      return text === '' || /^0[xbo]/i.test(text) || !Number.isFinite(Number(text)) ? NaN : Number(text);
    },
    remedy: (cell) => {
      const half = hasDecimalCommas ? '0,5' : '0.5';
      if (cell === '')
        return `Write a number, such as 0 or ${half}: what is not known has no place in training.`;
      if (withComma.test(cell))
        return `Write ${cell.replace(',', '.')}: other cells of this table have decimal points.`;
      if (/^(yes|true|ja|oui|x|✓|✔)$/i.test(cell)) return 'Write 1.';
      if (/^(no|false|nein|non|-|–|—)$/i.test(cell)) return 'Write 0.';
      const found = /[+-]?\d+(?:[.,]\d+)?/.exec(cell)?.[0];
      // A point in a table of decimal commas would make a mixed table of it.
      const inside = hasDecimalCommas ? found?.replace('.', ',') : found?.replace(',', '.');
      return inside === undefined
        ? `Write a number, such as 0 or ${half}.`
        : `Write ${inside} alone, without unit or other words.`;
    },
  };
}
