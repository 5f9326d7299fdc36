/** Table 4: top-5 among the 360 unseen classes of ImageNet, with word vectors as attributes; the network is given after the name. */
import type { Dataset } from '../datasets/dataset.js';
import type { PublishedRow } from './published.js';

const seenClasses = 1000;
const unseenClasses = 360;

const topFive: readonly (readonly [name: string, value: number])[] = [
  ['DEVISE (GoogleNet)', 12.8],
  ['CONSE (GoogleNet)', 15.5],
  ['SS-VOC (VGG)', 16.8],
  ['VZSL (VGG)', 23.1],
  ['CVAE-ZSL (GoogleNet)', 24.7],
  ['SG-GZSL (GoogleNet)', 25.4],
  ['OT-ZSL (GoogleNet)', 28.9],
];

/** The paper gives no top-1. */
export const imagenetRows: readonly PublishedRow[] = topFive.map(([name, value]) => ({
  name,
  values: [null, value],
}));

export function imagenetNotes({ seen, unseen, name }: Dataset): string[] {
  const notes = [
    'The paper counts 254,000 images of 1,360 classes, while ILSVRC-2012 alone has 1.28 million to train on: it used a part, and does not say which. --rows-per-class 200 gives as many.',
    "Some of the paper's rows are on features of VGG, the others on those of GoogleNet: rows on different features do not compare directly.",
  ];
  if (seen.length !== seenClasses || unseen.length !== unseenClasses)
    notes.unshift(
      `The paper's rows are of ImageNet with ${seenClasses} seen and ${unseenClasses} unseen classes; ${name} has ${seen.length} and ${unseen.length}. The fewer classes compete, the higher the figures: these do not compare.`,
    );
  return notes;
}
