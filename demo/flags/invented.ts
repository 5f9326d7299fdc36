/**
 * The seen classes: invented flags. They use every layout and outline of the letter flags, in other colours.
 *
 * For a layout with s slots, s permutations of the five colours are drawn; flag i uses the i-th colour of each. So
 * every slot of every layout meets (nearly) every colour, so that colours at positions can be learnt, and no
 * two flags of a layout share a colour in a slot. A draw with a flag that has the layout and the colours of a letter,
 * in whatever order, is rejected: seen and unseen flags never differ by a mere swap.
 */
import { Random } from '../../core/random.js';
import { colours, type Colour, type FlagDescription, type NamedFlag, type FlagShape } from './description.js';
import { layoutNames, layouts, type LayoutName } from './layouts.js';
import { letterFlags } from './letters.js';

const seed = 1;
const rectanglesPerLayout = 4;
const swallowtails: readonly LayoutName[] = ['solid', 'vertical-halves'];
const swallowtailsPerLayout = 2;

export const inventedFlags: readonly NamedFlag[] = invent();

function invent(): NamedFlag[] {
  const random = Random.stream(seed, 'invented flags');
  return [
    ...layoutNames.flatMap((layout) => inventOf(layout, 'rectangle', rectanglesPerLayout, random)),
    ...swallowtails.flatMap((layout) => inventOf(layout, 'swallowtail', swallowtailsPerLayout, random)),
  ];
}

function inventOf(layout: LayoutName, shape: FlagShape, count: number, random: Random): NamedFlag[] {
  for (;;) {
    const permutations = layouts[layout].slots.map(() => random.shuffle([0, 1, 2, 3, 4]));
    const drawn = Array.from({ length: count }, (_, i): FlagDescription => {
      return { shape, layout, colours: permutations.map((order) => colours[order[i]]) };
    });
    if (drawn.every(isNew)) return drawn.map((flag) => ({ ...flag, name: nameOf(flag) }));
  }
}

function isNew(flag: FlagDescription): boolean {
  const palette = new Set<Colour>(flag.colours);
  if (palette.size < flag.colours.length) return false; // neighbours would run into one another
  return !letterFlags.some(
    (letter) =>
      letter.layout === flag.layout &&
      letter.shape === flag.shape &&
      letter.colours.every((colour) => palette.has(colour)),
  );
}

function nameOf({ shape, layout, colours }: FlagDescription): string {
  return [layout, ...colours, ...(shape === 'rectangle' ? [] : [shape])].join('-');
}
