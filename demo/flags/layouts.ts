/**
 * The layouts: the slots that take a colour, and the areas that each slot paints. Areas are painted in order, so that
 * a later one covers an earlier one.
 */
import { aspect, type Colour, type FlagDescription } from './description.js';
import { polygon, rectangle, wholeCloth, type Area, type Point } from './geometry.js';

interface Layout {
  readonly slots: readonly string[];
  /** The slot's index and the area that it paints. */
  readonly areas: readonly (readonly [slot: number, area: Area])[];
}

const [top, bottom, hoist, fly]: Point[] = [
  [0.5, 0],
  [0.5, 1],
  [0, 0.5],
  [1, 0.5],
];
const [upperHoist, upperFly, lowerFly, lowerHoist, centre]: Point[] = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
  [0.5, 0.5],
];
const diamond = polygon(top, fly, bottom, hoist);
const crossHalfWidth = 0.1; // of the height
const saltireHalfWidth = 1 / 8; // along the edge
const discRadius = 0.3; // of the height

export const layouts = {
  solid: layout(['field'], [[0, wholeCloth]]),
  'vertical-halves': layout(['hoist', 'fly'], verticalBands([0, 1])),
  'vertical-thirds': layout(['hoist', 'middle', 'fly'], verticalBands([0, 1, 2])),
  'vertical-sixths': layout(['first', 'second'], verticalBands([0, 1, 0, 1, 0, 1])),
  'horizontal-halves': layout(['top', 'bottom'], horizontalBands([0, 1])),
  'horizontal-thirds': layout(['edges', 'middle'], horizontalBands([0, 1, 0])),
  'wide-middle-band': layout(['edges', 'middle'], horizontalBands([0, 1, 1, 1, 0])),
  'horizontal-fifths': layout(['edges', 'between', 'middle'], horizontalBands([0, 1, 2, 1, 0])),
  cross: layout(
    ['field', 'cross'],
    [
      [0, wholeCloth],
      [1, rectangle(0.5 - crossHalfWidth / aspect, 0, 0.5 + crossHalfWidth / aspect, 1)],
      [1, rectangle(0, 0.5 - crossHalfWidth, 1, 0.5 + crossHalfWidth)],
    ],
  ),
  saltire: layout(
    ['field', 'saltire'],
    [
      [0, wholeCloth],
      [1, arm((u, v) => [u, v])],
      [1, arm((u, v) => [u, 1 - v])],
    ],
  ),
  quartered: layout(['upper-hoist', 'upper-fly'], chequers(2)),
  chequered: layout(['first', 'second'], chequers(4)),
  'centred-square': layout(['border', 'centre'], [[0, wholeCloth], [1, inset(1 / 4)]]), // prettier-ignore
  'nested-squares': layout(
    ['border', 'ring', 'centre'],
    [[0, wholeCloth], [1, inset(1 / 6)], [2, inset(1 / 3)]], // prettier-ignore
  ),
  'diagonal-halves': layout(
    ['upper-fly', 'lower-hoist'],
    [[0, wholeCloth], [1, polygon(upperHoist, lowerFly, lowerHoist)]], // prettier-ignore
  ),
  'diagonal-stripes': layout(
    ['first', 'second'],
    Array.from({ length: 10 }, (_, i) => [i % 2, diagonalStripe(i / 5, (i + 1) / 5)] as const),
  ),
  disc: layout(
    ['field', 'disc'],
    [
      [0, wholeCloth],
      [1, { kind: 'ellipse', centre, radii: [discRadius / aspect, discRadius] }],
    ],
  ),
  diamond: layout(['field', 'diamond'], [[0, wholeCloth], [1, diamond]]), // prettier-ignore
  triangles: layout(
    ['top', 'fly', 'bottom', 'hoist'],
    [
      [0, polygon(upperHoist, upperFly, centre)],
      [1, polygon(upperFly, lowerFly, centre)],
      [2, polygon(lowerFly, lowerHoist, centre)],
      [3, polygon(lowerHoist, upperHoist, centre)],
    ],
  ),
} satisfies Record<string, Layout>;

export type LayoutName = keyof typeof layouts;
export const layoutNames = Object.keys(layouts) as LayoutName[];

const outlines = {
  rectangle: wholeCloth,
  swallowtail: polygon(upperHoist, upperFly, [0.75, 0.5], lowerFly, lowerHoist),
};

interface Patch {
  readonly colour: Colour;
  readonly area: Area;
}

export function outlineOf(flag: FlagDescription): Area {
  return outlines[flag.shape];
}

/** What to paint, in order; the outline cuts it off. */
export function patchesOf(flag: FlagDescription): Patch[] {
  return layouts[flag.layout].areas.map(([slot, area]) => ({ colour: flag.colours[slot], area }));
}

function layout(slots: Layout['slots'], areas: Layout['areas']): Layout {
  return { slots, areas };
}

function verticalBands(slots: readonly number[]): Layout['areas'] {
  return slots.map((slot, i) => [slot, rectangle(i / slots.length, 0, (i + 1) / slots.length, 1)]);
}

function horizontalBands(slots: readonly number[]): Layout['areas'] {
  return slots.map((slot, i) => [slot, rectangle(0, i / slots.length, 1, (i + 1) / slots.length)]);
}

function chequers(count: number): Layout['areas'] {
  return Array.from({ length: count * count }, (_, i) => {
    const [row, column] = [Math.floor(i / count), i % count];
    const square = rectangle(column / count, row / count, (column + 1) / count, (row + 1) / count);
    return [(row + column) % 2, square] as const;
  });
}

function inset(margin: number): Area {
  return rectangle(margin, margin, 1 - margin, 1 - margin);
}

function arm(place: (u: number, v: number) => Point): Area {
  const w = saltireHalfWidth;
  return polygon(place(0, 0), place(w, 0), place(1, 1 - w), place(1, 1), place(1 - w, 1), place(0, w));
}

/** The part of the cloth with from <= u + v <= to; it rises from the lower hoist to the upper fly. */
function diagonalStripe(from: number, to: number): Area {
  const ends = (sum: number): [Point, Point] =>
    sum <= 1 ? [[sum, 0], [0, sum]] : [[1, sum - 1], [sum - 1, 1]]; // prettier-ignore
  const [start, startLow] = ends(from);
  const [end, endLow] = ends(to);
  return polygon(start, end, endLow, startLow);
}
