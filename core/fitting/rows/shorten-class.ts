import { matrix } from '../../matrix.js';
import type { RowContext } from './row-source.js';
import { classesOfDraws, rowsPerBatch, type SyntheticClass } from './synthetic-class.js';

/**
 * The same classes with the first `count` of their rows. Where these would all be made of one draw, they are made of the mean
 * of all draws instead, as synthesiseClasses() does.
 */
export async function shortenClasses(
  context: RowContext,
  classes: readonly { readonly name: string; readonly synthetic: SyntheticClass }[],
  count: number,
  purpose: string,
): Promise<SyntheticClass[]> {
  const { rowsPerDraw } = context;
  const isPrefixEnough = ({ scales }: SyntheticClass): boolean =>
    scales.length === count || count > rowsPerDraw;
  const ofOneDraw = classes.filter(({ synthetic }) => !isPrefixEnough(synthetic));
  const step = Math.max(1, Math.floor(rowsPerBatch / count));
  const rebuilt = new Map<string, SyntheticClass>();
  for (let start = 0; start < ofOneDraw.length; start += step) {
    const batch = ofOneDraw
      .slice(start, start + step)
      .map(({ name, synthetic: { attributes, prototype } }) => ({
        name,
        attributes,
        drawn: matrix(1, prototype.length, prototype),
      }));
    const synthesised = await classesOfDraws(context, batch, count, purpose);
    batch.forEach(({ name }, i) => rebuilt.set(name, synthesised[i]));
  }
  return classes.map(({ name, synthetic }) => rebuilt.get(name) ?? prefixOf(synthetic, count, rowsPerDraw));
}

function prefixOf(whole: SyntheticClass, count: number, rowsPerDraw: number): SyntheticClass {
  if (whole.scales.length === count) return whole;
  const { columns, data } = whole.draws;
  const used = Math.ceil(count / rowsPerDraw);
  return {
    ...whole,
    draws: matrix(used, columns, data.subarray(0, used * columns)),
    donors: whole.donors.subarray(0, count),
    scales: whole.scales.subarray(0, count),
    baseOffsets: whole.baseOffsets.subarray(0, count),
  };
}
