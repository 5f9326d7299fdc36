/** Which pictures of the grid are shown, and in which order. */
import { computed, signal } from '@preact/signals';
import { kindOf } from './classes.js';
import { gallery, type GalleryPicture } from './gallery.js';

export type Order = 'added' | 'name' | 'class' | 'most-confident' | 'least-confident';

export const order = signal<Order>('added');
/** A class, or a part of a file's name. */
export const filterText = signal('');
export type Shown = 'all' | 'seen' | 'unseen' | 'added' | 'unsure' | 'unknown' | 'problem';
export const shownOnly = signal<Shown>('all');

const probabilityOf = ({ answer }: GalleryPicture): number => answer?.predictions[0].probability ?? -1;
const classOf = ({ answer }: GalleryPicture): string => answer?.predictions[0].class ?? '';
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

function wordsOf({ name, answer }: GalleryPicture): string {
  return [name, answer?.predictions[0].class ?? ''].join('\n');
}

function traitsOf({ answer, problem }: GalleryPicture): readonly string[] {
  if (problem) return ['problem'];
  return answer ? [kindOf(answer.predictions[0]), answer.verdict ?? ''] : [];
}
