/** Which pictures of the grid are shown, and in which order. */
import { computed, signal } from '@preact/signals';
import { kindOf } from './classes.js';
import { gallery, type GalleryPicture } from './gallery.js';

export type Order = 'added' | 'name' | 'class' | 'surest' | 'least-sure';

export const order = signal<Order>('added');
/** Null: all of them; otherwise the class, kind or part of a name that is written. */
export const filterText = signal('');

const probabilityOf = ({ answer }: GalleryPicture): number => answer?.predictions[0].probability ?? -1;
const classOf = ({ answer }: GalleryPicture): string => answer?.predictions[0].class ?? '';
const compareText = (a: string, b: string): number => a.localeCompare(b, undefined, { numeric: true });

const comparisons: Readonly<Record<Order, (a: GalleryPicture, b: GalleryPicture) => number>> = {
  added: (a, b) => a.id - b.id,
  name: (a, b) => compareText(a.name, b.name),
  class: (a, b) =>
    compareText(classOf(a) || '\uffff', classOf(b) || '\uffff') || probabilityOf(b) - probabilityOf(a),
  surest: (a, b) => probabilityOf(b) - probabilityOf(a),
  'least-sure': (a, b) => probabilityOf(a) - probabilityOf(b),
};

export const shownPictures = computed(() => {
  const wanted = filterText.value.trim().toLowerCase();
  return gallery.value
    .filter((picture) => wanted === '' || wordsOf(picture).toLowerCase().includes(wanted))
    .toSorted(comparisons[order.value]);
});

function wordsOf({ name, answer, problem }: GalleryPicture): string {
  const kind = answer ? kindOf(answer.predictions[0]) : '';
  return [name, answer?.predictions[0].class ?? '', `kind:${kind}`, problem ? 'problem' : ''].join('\n');
}
