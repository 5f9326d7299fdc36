import { matrix } from '../../matrix.js';
import { classesOfDraws, rowsPerBatch, type ClassSource, type SyntheticClass } from './synthetic-class.js';

/** The same classes with the first `count` of their rows, which lie around the mean of all draws where they are of one. */
export async function withFewerRows(
  source: ClassSource,
  classes: readonly { readonly name: string; readonly made: SyntheticClass }[],
  count: number,
  purpose: string,
): Promise<SyntheticClass[]> {
  const { rowsPerDraw } = source;
  const isFit = ({ scales }: SyntheticClass): boolean => scales.length === count || count > rowsPerDraw;
  const around = classes.filter(({ made }) => !isFit(made));
  const step = Math.max(1, Math.floor(rowsPerBatch / count));
  const rebuilt = new Map<string, SyntheticClass>();
  for (let start = 0; start < around.length; start += step) {
    const batch = around.slice(start, start + step).map(({ name, made: { attributes, prototype } }) => ({
      name,
      attributes,
      drawn: matrix(1, prototype.length, prototype),
    }));
    const made = await classesOfDraws(source, batch, count, purpose);
    batch.forEach(({ name }, i) => rebuilt.set(name, made[i]));
  }
  return classes.map(({ name, made }) => rebuilt.get(name) ?? truncateClass(made, count, rowsPerDraw));
}

function truncateClass(whole: SyntheticClass, count: number, rowsPerDraw: number): SyntheticClass {
  if (whole.scales.length === count) return whole;
  const { columns, data } = whole.draws;
  const used = Math.ceil(count / rowsPerDraw);
  return {
    ...whole,
    draws: matrix(used, columns, data.subarray(0, used * columns)),
    lenders: whole.lenders.subarray(0, count),
    scales: whole.scales.subarray(0, count),
    offsets: whole.offsets.subarray(0, count),
  };
}
