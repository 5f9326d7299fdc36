import type { MatNumbers, MatValue } from './values.js';

/** Float32 values: the array itself where it is one already, so that large features are never copied. */
export function float32Of(value: MatNumbers): Float32Array {
  return value.values instanceof Float32Array ? value.values : Float32Array.from(value.values);
}

/** The strings of a char array, or of a cell array with one string per cell (nested once more in some copies). */
export function stringsOf(value: MatValue): string[] | null {
  if (value.kind === 'text') return [...value.rows];
  if (value.kind === 'numbers') return value.values.length === 0 ? [] : null;
  const strings: string[] = [];
  for (const cell of value.cells) {
    const inner = stringsOf(cell);
    if (inner === null || inner.length > 1) return null;
    strings.push(inner[0] ?? '');
  }
  return strings;
}
