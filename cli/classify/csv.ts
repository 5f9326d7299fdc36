/** Cells of a CSV file that spreadsheets open safely: what would be read as a formula is marked as text. */

const formulaStart = /^[=+\-@\t\r]/;

export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(',')}\n`;
}

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = formulaStart.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What `csvLine` was given. */
export function cellText(cell: string): string {
  return cell.startsWith("'") && formulaStart.test(cell.slice(1)) ? cell.slice(1) : cell;
}
