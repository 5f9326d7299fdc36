/**
 * Draws of the generator for a class that has pictures, moved from around where its attributes put it to where attributes and pictures together say that
 * it is. The trainer's head (few-shot classes) and the classes added at runtime follow this one recipe.
 *
 * Where only a share s of the attributes is known, and the others are filled in, the class lies between where attributes and pictures put it and where
 * pictures alone do, with weights sqrt(s) and 1 - sqrt(s): half of the attributes say most of what all of them do (docs/experiments.md).
 */
import { headRows } from '../../head/feature-map.js';
import { meanDirections, meanRow } from '../../head/synthetic-rows.js';
import { rowOf, type Matrix } from '../../matrix.js';
import { picturesTogether, type EvidenceModel } from '../evidence.js';
import type { PicturesAlone } from '../pictures-alone.js';
import type { AssignedPictures } from '../runtime-class.js';

/** What a model knows of pictures and attributes. */
export interface PictureKnowledge {
  readonly evidence: EvidenceModel;
  readonly picturesAlone: PicturesAlone;
}

interface PictureContext extends PictureKnowledge {
  readonly settings: { readonly temperature: number | null };
  /** Real rows: of the length that their class means have. */
  readonly donors: { readonly meanLength: number };
}

/** What pictures say of a class. */
export interface GivenPictures {
  /** Features of labelled pictures, of unit length: (n, D). */
  readonly examples?: Matrix | null | undefined;
  readonly assigned?: AssignedPictures | undefined;
  /** The share of its attributes that was given, and not filled in; all when left out. */
  readonly knownShare?: number;
}

/** In place. Draws have unit length, or their own where rows keep it (temperature null). */
export function moveToPictures(
  context: PictureContext,
  drawn: Matrix,
  { examples, assigned, knownShare = 1 }: GivenPictures,
): void {
  const pictured = picturesTogether(examples, assigned);
  if (!pictured) return;
  const { settings, donors } = context;
  const length = settings.temperature === null ? 1 : donors.meanLength; // of a class mean, as pictures have it
  const attributed = meanOf(context, drawn).data.map((value) => length * value);
  const posterior = posteriorOf(context, attributed, pictured, knownShare);
  for (let i = 0; i < drawn.rows; i++) {
    const row = rowOf(drawn, i);
    for (let k = 0; k < row.length; k++) row[k] = length * row[k] + posterior[k] - attributed[k];
  }
  headRows(drawn, settings.temperature === null ? null : 1);
}

/** Where attributes, which put a class at `attributed`, and pictures of it say that it lies: (D). */
export function posteriorOf(
  { evidence, picturesAlone }: PictureKnowledge,
  attributed: Float32Array, // (D), of the length of a class mean
  { mean, pictures }: AssignedPictures,
  knownShare: number,
): Float32Array {
  const beside = evidence.posteriorMean(attributed, mean, pictures);
  if (knownShare === 1) return beside;
  const alone = picturesAlone.posteriorMean(mean, pictures);
  const share = Math.sqrt(knownShare);
  return beside.map((value, k) => share * value + (1 - share) * alone[k]);
}

/** What the draws of a class have in common: their mean direction, or their mean where rows keep their length. */
export function meanOf({ settings }: Pick<PictureContext, 'settings'>, drawn: Matrix): Matrix {
  return settings.temperature === null ? meanRow(drawn) : meanDirections(drawn, drawn.rows);
}
