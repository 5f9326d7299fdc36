/** A validation fold as an adaptation sees it: classes where the closed form puts them, guard rows, and rows of unit length. */
import type { AdaptationInput } from '../../../core/adaptation/adaptation-input.js';
import { guardRows } from '../../../core/adaptation/guard-rows.js';
import { EvidenceModel } from '../../../core/fitting/evidence.js';
import { PicturesAlone } from '../../../core/fitting/pictures-alone.js';
import { directRows } from '../../../core/head/feature-map.js';
import { seenPrototype } from '../../../core/head/synthetic-rows.js';
import { rowOf, takeRows, type Matrix } from '../../../core/matrix.js';
import { predictClasses } from '../../closed-form/kernel-ridge.js';
import type { Dataset } from '../../datasets/dataset.js';
import type { TrainingData } from '../../preparation/training-data.js';
import { deviationsOf, fittedEvidence, usualEvidenceChoice } from '../evidence.js';

const maxTrainingRows = 6000;
const maxGuardRows = 1000;

export interface LabelledRows {
  readonly rows: Matrix; // (n, D), of unit length
  readonly labels: Int32Array; // (n)
}

export interface FoldInput extends Omit<AdaptationInput, 'pool' | 'classes'> {
  readonly prototypes: Matrix; // (C, D)
  readonly isUnseen: Uint8Array; // (C)
  readonly classNames: readonly string[];
}

export async function labelledRows(
  { mapper }: TrainingData,
  { features, labels }: Dataset,
  rows: Int32Array,
): Promise<LabelledRows> {
  return {
    rows: directRows(await mapper.map(features, rows), 1),
    labels: rows.map((row) => labels[row]),
  };
}

/** The classes of the fold where the closed form puts them, and training rows as guard. */
export function foldInputOf(data: TrainingData, dataset: Dataset, realPrior: number): FoldInput {
  const closedForm = data.closedForm!;
  const prototypes = predictClasses(closedForm, data.attributes);
  const isUnseen = new Uint8Array(prototypes.rows).fill(1);
  const means = new Map<number, Float32Array>();
  data.seen.forEach((label, c) => {
    isUnseen[label] = 0;
    means.set(label, rowOf(closedForm.means, c));
    const row = rowOf(prototypes, label);
    row.set(seenPrototype(row, means.get(label)!, realPrior));
  });
  const { deviations, length } = deviationsOf(closedForm);
  const count = Math.min(maxTrainingRows, data.features.rows);
  const kept = Int32Array.from({ length: count }, (_, i) => Math.floor((i * data.features.rows) / count));
  const guard = guardRows(
    {
      replay: {
        features: directRows(takeRows(data.features, kept), 1),
        labels: kept.map((row) => data.labels[row]),
      },
      manifest: {
        classes: Array.from(isUnseen, (unseen) => ({ seen: unseen === 0 })),
      },
      deviations,
    },
    means,
    maxGuardRows,
  );
  const evidence = new EvidenceModel(
    fittedEvidence(closedForm, usualEvidenceChoice),
    deviations,
    prototypes.columns,
  );
  const { classNames } = dataset;
  const picturesAlone = PicturesAlone.of(evidence.settings, null); // all attributes are known
  return { prototypes, isUnseen, classNames, guard, evidence, picturesAlone, meanLength: length };
}
