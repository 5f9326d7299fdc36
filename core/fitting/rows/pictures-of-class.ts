import type { Matrix } from '../../matrix.js';
import { meanOfRows } from '../../mean.js';
import type { RowContext } from './row-source.js';
import type { ClassToSynthesise } from './synthetic-class.js';

/** What pictures say of a class: those added, and those that training had. */
export function picturesOf(
  context: Pick<RowContext, 'bundle' | 'donors'>,
  name: string,
  examples: Matrix | null, // mapped
): Pick<ClassToSynthesise, 'examples' | 'realMean'> {
  const label = seenLabelOf(context, name);
  if (label < 0 || !examples) return { examples };
  const { replay } = context.bundle;
  const trained = replay.labels.reduce((count, own) => count + (own === label ? 1 : 0), 0);
  const mean = context.donors.means.get(label)!;
  const added = meanOfRows(examples);
  const all = trained + examples.rows;
  return { realMean: mean.map((value, k) => (trained * value + examples.rows * added[k]) / all) };
}

/** The position of the bundle's class of this name if training had pictures of it, otherwise -1. */
export function seenLabelOf({ bundle }: Pick<RowContext, 'bundle'>, name: string): number {
  return bundle.manifest.classes.findIndex((own) => own.name === name && own.seen);
}
