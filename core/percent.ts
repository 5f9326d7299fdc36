/** A fraction as a percentage with one decimal, padded for columns: ' 53.9'. */
export function percent(fraction: number): string {
  return (100 * fraction).toFixed(1).padStart(5);
}
