/**
 * The attributes of a flag, computed from its description: the same function for invented flags and for letters, and
 * nothing typed by hand. Names are `family::value`; values are in 0..1.
 *
 *   colour::c          share of the cloth that has colour c
 *   has::c             1 if the flag has colour c
 *   <place>::c         share of colour c in a third of the cloth (hoist, fly, top, bottom), or in its centre
 *   meeting::a-b       length of the edges between a and b
 *   edge::direction    length of the edges that run so
 *   layout::l, shape::s, has-colours::n   one of each is 1
 */
import { matrix, type Matrix } from '../../core/matrix.js';
import { colours, shapes, type FlagDescription } from './description.js';
import { colourPairs, directions, measureEdges } from './edges.js';
import { layoutNames } from './layouts.js';
import { rasterise, side } from './raster.js';

type Extent = readonly [from: number, to: number];

const [first, middle, last, all]: Extent[] = [
  [0, side / 3],
  [side / 3, (2 * side) / 3],
  [(2 * side) / 3, side],
  [0, side],
];
/**
 * Columns and rows of the raster. A finer grid would say more, yet makes held-out flags harder to tell: pooled CNN
 * features represent positions poorly, and attributes that they do not show are noise to the generator.
 */
const places: Readonly<Record<string, { across: Extent; down: Extent }>> = {
  hoist: { across: first, down: all },
  fly: { across: last, down: all },
  top: { across: all, down: first },
  bottom: { across: all, down: last },
  centre: { across: middle, down: middle },
};
const maxColours = 4;
/** In sides of the flag; no flag has longer edges. */
export const maxEdgeLength = 6;

export const attributeNames: readonly string[] = [
  ...named('colour', colours),
  ...named('has', colours),
  ...Object.keys(places).flatMap((place) => named(place, colours)),
  ...named(
    'meeting',
    colourPairs.map(([a, b]) => `${colours[a]}-${colours[b]}`),
  ),
  ...named('edge', directions),
  ...named('layout', layoutNames),
  ...named('shape', shapes),
  ...named(
    'has-colours',
    Array.from({ length: maxColours }, (_, i) => String(i + 1)),
  ),
];

export function attributesOf(flag: FlagDescription): number[] {
  const raster = rasterise(flag);
  const shares = sharesOf(raster, all, all);
  const cloth = shares.reduce((sum, share) => sum + share, 0);
  const edges = measureEdges(flag, raster);
  const palette = new Set(flag.colours);
  return [
    ...shares.map((share) => share / cloth),
    ...colours.map((colour) => Number(palette.has(colour))),
    ...Object.values(places).flatMap(({ across, down }) => sharesOf(raster, across, down)),
    ...edges.byPair.map((length) => length / maxEdgeLength),
    ...directions.map((direction) => edges.byDirection[direction] / maxEdgeLength),
    ...oneOf(layoutNames, flag.layout),
    ...oneOf(shapes, flag.shape),
    ...Array.from({ length: maxColours }, (_, i) => Number(palette.size === i + 1)),
  ];
}

/** One row per flag. */
export function attributeMatrix(flags: readonly FlagDescription[]): Matrix {
  const values = matrix(flags.length, attributeNames.length);
  flags.forEach((flag, i) => {
    values.data.set(attributesOf(flag), i * values.columns);
  });
  return values;
}

/** The share of each colour in a part of the raster. Where there is no cloth counts as none. */
function sharesOf(
  raster: Uint8Array,
  [firstColumn, endColumn]: Extent,
  [firstRow, endRow]: Extent,
): number[] {
  const counts = colours.map(() => 0);
  for (let row = firstRow; row < endRow; row++) {
    for (let column = firstColumn; column < endColumn; column++) {
      const colour = raster[row * side + column];
      if (colour < counts.length) counts[colour]++;
    }
  }
  const area = (endRow - firstRow) * (endColumn - firstColumn);
  return counts.map((count) => count / area);
}

function named(family: string, values: readonly string[]): string[] {
  return values.map((value) => `${family}::${value}`);
}

function oneOf<T>(all: readonly T[], one: T): number[] {
  return all.map((value) => Number(value === one));
}
