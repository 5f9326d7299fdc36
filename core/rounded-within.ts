/**
 * A value as people want to read it: rounded to a small part of the range that it comes from, not to so many digits of its own. Of years from 1950 to
 * 2020, three digits would leave the decade.
 */
export function roundedWithin(value: number, minimum: number, maximum: number, digits = 3): number {
  const range = maximum - minimum;
  if (!(range > 0) || !Number.isFinite(range)) return Number(value.toPrecision(digits + 1));
  const step = 10 ** (Math.floor(Math.log10(range)) - digits + 1);
  return Number((Math.round(value / step) * step).toPrecision(12)) + 0; // no noise of the product, and no -0
}
