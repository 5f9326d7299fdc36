import type { EvidenceModel } from '../fitting/evidence.js';
import type { AssignedPictures } from '../fitting/runtime-class.js';
import { directRows } from '../head/feature-map.js';
import { matrix } from '../matrix.js';
import type { CompetingPrototype } from './adaptation-input.js';

/** Where a class lies with the pictures that were assigned to it, as a fit will have it: (D), of unit length. */
export function movedPrototype(
  { attributed, labelled, knownShare }: CompetingPrototype,
  assigned: AssignedPictures,
  evidence: EvidenceModel,
  meanLength: number,
): Float32Array {
  const pictures = assigned.pictures + (labelled?.pictures ?? 0);
  const mean = labelled
    ? assigned.mean.map(
        (value, k) => (assigned.pictures * value + labelled.pictures * labelled.mean[k]) / pictures,
      )
    : assigned.mean;
  const from = attributed.map((value) => meanLength * value);
  const moved = evidence.posteriorMean(from, mean, pictures, knownShare).slice();
  return directRows(matrix(1, moved.length, moved), 1).data;
}
