import type { Dataset } from '../datasets/dataset.js';
import { fewShotInWords } from '../datasets/few-shot.js';
import type { PictureGain } from './evidence.js';
import { percent } from '../../core/percent.js';

/** What training says of few-shot classes: how many there are, and what pictures gain where it can be measured, on validation classes. */
export function fewShotLines(dataset: Dataset, gains: readonly PictureGain[]): string[] {
  const counted = fewShotInWords(dataset);
  if (counted === '') return [];
  const lines = [`${counted}: taken as unseen classes of which pictures are known.`];
  if (gains.length > 0)
    lines.push(
      `What pictures add to attributes on validation classes (top-1 among held-out classes, nearest class): ${gains
        .map((gain) => `with ${gain.pictures} ${percent(gain.without)} -> ${percent(gain.with)} %`)
        .join(', ')}.`,
    );
  return lines;
}
