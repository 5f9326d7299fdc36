/** Which pictures of the grid are shown, and in which order. */
import { computed, signal } from '@preact/signals';
import type { ClassifyResponse } from '../../../client/index.js';
import { kindOf } from './classes.js';
import { gallery, type GalleryPicture } from './gallery.js';
import { leastPercent } from './may-answer.js';

export type Order = 'added' | 'name' | 'class' | 'most-confident' | 'least-confident';

export const order = signal<Order>('added');
/** A class, or a part of a file's name. */
export const filterText = signal('');
export type Shown = 'all' | 'seen' | 'unseen' | 'added' | 'unsure' | 'unknown' | 'problem';
export const shownOnly = signal<Shown>('all');

/** Undefined before there is an answer, and where no class is as likely as the page wants it. */
export function likeliest({ answer }: GalleryPicture): ClassifyResponse['predictions'][number] | undefined {
  return answer?.predictions.find(({ probability }) => probability >= leastPercent.value / 100);
}

const probabilityOf = ({ answer }: GalleryPicture): number => answer?.predictions.at(0)?.probability ?? -1;
const classOf = (picture: GalleryPicture): string => likeliest(picture)?.class ?? '';
const compareText = (a: string, b: string): number => a.localeCompare(b, undefined, { numeric: true });

const comparisons: Readonly<Record<Order, (a: GalleryPicture, b: GalleryPicture) => number>> = {
  added: (a, b) => a.id - b.id,
  name: (a, b) => compareText(a.name, b.name),
  class: (a, b) =>
    compareText(classOf(a) || '\uffff', classOf(b) || '\uffff') || probabilityOf(b) - probabilityOf(a),
  'most-confident': (a, b) => probabilityOf(b) - probabilityOf(a),
  'least-confident': (a, b) => probabilityOf(a) - probabilityOf(b),
};

export const shownPictures = computed(() => {
  const wanted = filterText.value.trim().toLowerCase();
  return gallery.value
    .filter((picture) => shownOnly.value === 'all' || traitsOf(picture).includes(shownOnly.value))
    .filter((picture) => wanted === '' || wordsOf(picture).toLowerCase().includes(wanted))
    .toSorted(comparisons[order.value]);
});

function wordsOf(picture: GalleryPicture): string {
  return [picture.name, classOf(picture)].join('\n');
}

function traitsOf(picture: GalleryPicture): readonly string[] {
  if (picture.problem) return ['problem'];
  const first = likeliest(picture);
  return [...(first ? [kindOf(first)] : []), picture.answer?.verdict ?? ''];
}
