/**
 * Where a class lies of which pictures are all that is known: as evidence.ts has it, with the mean of the seen classes in place of what
 * attributes say, and how seen classes lie around it in place of how far attributes are off. The mean of a few pictures is mostly what these
 * pictures have by chance; directions in which classes do not differ are taken out of it.
 */
import { rowOf, takeRows, type Matrix } from '../matrix.js';
import { meanOfRows } from '../mean.js';
import { EvidenceModel, type EvidenceSettings } from './evidence.js';

/** On folds of CUB 0.2 to 0.8 are within half a point (docs/experiments.md). */
const isotropicShare = 0.5;
/** A system of this size is solved for each number of pictures. */
const maxClasses = 400;

export class PicturesAlone {
  private constructor(
    private readonly center: Float32Array, // (D)
    private readonly model: EvidenceModel | null,
  ) {}

  /** `classMeans` (S, D), of rows of unit length; null where rows keep the length that they have, which the spreads do not fit. */
  static of(settings: EvidenceSettings, classMeans: Matrix | null): PicturesAlone {
    if (!classMeans || classMeans.rows < 2) return new PicturesAlone(new Float32Array(0), null);
    const center = meanOfRows(classMeans);
    const count = Math.min(maxClasses, classMeans.rows);
    const picked = Array.from({ length: count }, (_, i) => Math.floor((i * classMeans.rows) / count));
    const around = takeRows(classMeans, picked);
    for (let c = 0; c < count; c++) {
      const row = rowOf(around, c);
      for (let k = 0; k < row.length; k++) row[k] -= center[k];
    }
    const classSpread = around.data.reduce((sum, value) => sum + value * value, 0) / count;
    if (!(classSpread > 0)) return new PicturesAlone(center, null);
    const model = new EvidenceModel({ ...settings, classSpread, isotropicShare }, around, center.length);
    return new PicturesAlone(center, model);
  }

  /** From the mean of so many pictures, (D). */
  posteriorMean(mean: Float32Array, pictures: number): Float32Array {
    return this.model?.posteriorMean(this.center, mean, pictures) ?? mean;
  }
}
