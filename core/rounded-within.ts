/**
 * A value as people want to read it: to so many digits of the range that it comes from, and never to fewer of its own. Of years from 1950 to 2020, three
 * digits would leave the decade; beside a range of thousands, 122 would be 0.
 */
export function roundedWithin(value: number, minimum: number, maximum: number, digits = 3): number {
  const step = Math.min(stepOf(maximum - minimum, digits), stepOf(Math.abs(value), digits));
  if (!Number.isFinite(step)) return value;
  return Number((Math.round(value / step) * step).toPrecision(12)) + 0; // no noise of the product, and no -0
}

function stepOf(size: number, digits: number): number {
  return size > 0 ? 10 ** (Math.floor(Math.log10(size)) - digits + 1) : Infinity;
}
