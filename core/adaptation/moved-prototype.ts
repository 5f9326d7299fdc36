import { picturesOfBoth } from '../fitting/evidence.js';
import { posteriorOf, type PictureKnowledge } from '../fitting/rows/move-to-pictures.js';
import type { AssignedPictures } from '../fitting/runtime-class.js';
import { directRows } from '../head/feature-map.js';
import { matrix } from '../matrix.js';
import type { CompetingPrototype } from './adaptation-input.js';

/** Where a class lies with the pictures that were assigned to it, as a fit will have it: (D), of unit length. */
export function movedPrototype(
  { attributed, labelled, knownShare }: CompetingPrototype,
  assigned: AssignedPictures,
  { meanLength, ...knowledge }: PictureKnowledge & { readonly meanLength: number },
): Float32Array {
  const pictured = labelled ? picturesOfBoth(labelled, assigned) : assigned;
  const from = attributed.map((value) => meanLength * value);
  const moved = posteriorOf(knowledge, from, pictured, knownShare).slice();
  return directRows(matrix(1, moved.length, moved), 1).data;
}
