/** Few-shot classes in the head's fit, by the recipe of classes that get pictures while serving (core/fitting): where they lie, and what their rows weigh. */
import { EvidenceModel, evidenceSettingsOf } from '../../core/fitting/evidence.js';
import { PicturesAlone } from '../../core/fitting/pictures-alone.js';
import { syntheticShare } from '../../core/fitting/rows/example-rows.js';
import { moveToPictures } from '../../core/fitting/rows/move-to-pictures.js';
import { headRows } from '../../core/head/feature-map.js';
import type { Donors } from '../../core/head/synthetic-rows.js';
import { matrix, takeRows, type Matrix } from '../../core/matrix.js';
import type { Configuration } from '../configuration.js';
import type { TrainingData } from '../preparation/training-data.js';
import { evidenceOf, type EvidenceChoice } from '../selection/evidence.js';

/** Where few-shot classes lie. */
export interface FewShotPlaces {
  /** Draws of classes, `count` of each in turn and of unit length, moved in place. */
  readonly move: (drawn: Matrix, classes: ArrayLike<number>, count: number) => void;
  /** Their pictures, of unit length: (n, D). */
  readonly rows: Matrix;
  readonly labels: Int32Array; // (n)
  /** The part of a class's weight that its synthetic rows keep: 1 for a class without pictures. */
  readonly syntheticShare: (label: number) => number;
}

/** What the head is told of few-shot classes; undefined where there are none. */
export type OpenFewShot = (donors: Donors) => FewShotPlaces;

export function fewShotOpener(
  data: Pick<TrainingData, 'fewShot' | 'closedForm' | 'features'>,
  configuration: Configuration,
  choice: EvidenceChoice,
): OpenFewShot | undefined {
  const { fewShot } = data;
  if (!fewShot) return undefined;
  const { evidence, deviations } = evidenceOf(data, configuration, choice);
  const settings = evidenceSettingsOf({ head: { evidence } });
  return (donors) =>
    placesOf(fewShot, configuration.head.temperature, {
      evidence: new EvidenceModel(settings, deviations, data.features.columns),
      picturesAlone: PicturesAlone.of(settings, null),
      donors,
    });
}

function placesOf(
  { features, labels }: NonNullable<TrainingData['fewShot']>,
  temperature: number | null,
  known: Omit<Parameters<typeof moveToPictures>[0], 'settings'>,
): FewShotPlaces {
  const { rows: count, columns } = features;
  const rows = headRows(matrix(count, columns, features.data.slice()), temperature === null ? null : 1);
  const rowsOf = new Map<number, number[]>();
  labels.forEach((label, row) => rowsOf.set(label, [...(rowsOf.get(label) ?? []), row]));
  const examplesOf = new Map([...rowsOf].map(([label, own]) => [label, takeRows(rows, own)]));
  return {
    move: (drawn, classes, draws) => {
      const size = draws * columns;
      Array.from(classes).forEach((label, c) => {
        const examples = examplesOf.get(label);
        if (!examples) return;
        const own = matrix(draws, columns, drawn.data.subarray(c * size, (c + 1) * size));
        moveToPictures({ settings: { temperature }, ...known }, own, { examples });
      });
    },
    rows,
    labels,
    syntheticShare: (label) => syntheticShare(examplesOf.get(label)?.rows ?? 0),
  };
}
