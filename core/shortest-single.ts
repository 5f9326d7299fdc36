/** The shortest decimal that is this float32 again: 0.1 rather than 0.10000000149011612. */
export function shortestSingle(value: number): string {
  const single = Math.fround(value);
  for (let digits = 6; digits <= 9; digits++) {
    const text = String(Number(single.toPrecision(digits)));
    if (Math.fround(Number(text)) === single) return text;
  }
  return String(value);
}
