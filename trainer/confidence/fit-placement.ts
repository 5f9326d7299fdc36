/**
 * From where the head row of a class points to where its pictures lie (core/head/novelty/geometry.ts), by least squares over the seen classes, along each
 * direction on its own:
 *
 *   m_ck ~ scale_k h_ck + shift_k        m: mean of the training rows of class c, h: where its head row points
 *
 * The same is then taken to hold for classes that are known by attributes, of which there are no rows.
 */
import { pointedAt } from '../../core/head/novelty/geometry.js';
import type { LinearHead } from '../../core/head/scorer.js';
import { rowOf } from '../../core/matrix.js';
import type { FittedGeometry } from './fold-sample.js';

interface Placement {
  readonly scale: number[]; // (k)
  readonly shift: number[]; // (k)
}

export function fitPlacement(
  { weights }: Pick<LinearHead, 'weights'>,
  { geometry, classPlaces, meanLength }: Pick<FittedGeometry, 'geometry' | 'classPlaces' | 'meanLength'>,
): Placement {
  const means = [...classPlaces.values()];
  const pointed = [...classPlaces.keys()].map((label) =>
    pointedAt(geometry, rowOf(weights, label), meanLength),
  );
  const placement: Placement = { scale: [], shift: [] };
  const middle = (rows: readonly ArrayLike<number>[], k: number): number =>
    rows.reduce((sum, row) => sum + row[k], 0) / rows.length;
  for (let k = 0; k < means[0].length; k++) {
    const [mean, middleOfPointed] = [middle(means, k), middle(pointed, k)];
    let [products, squares] = [0, 0];
    pointed.forEach((row, c) => {
      products += (row[k] - middleOfPointed) * (means[c][k] - mean);
      squares += (row[k] - middleOfPointed) ** 2;
    });
    const scale = squares > 0 ? products / squares : 0;
    placement.scale.push(scale);
    placement.shift.push(mean - scale * middleOfPointed);
  }
  return placement;
}
