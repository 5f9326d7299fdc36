/**
 * How much edge a flag has between its colours, by direction and by the two colours that meet. Every place where four
 * samples meet votes: a clean step across is vertical edge, a clean step down is horizontal edge, anything else is
 * diagonal. A straight diagonal of these layouts steps one across for one down, so that all of it is counted as such.
 */
import { colours, type FlagDescription } from './description.js';
import { patchesOf } from './layouts.js';
import { none, side } from './raster.js';

export const directions = ['vertical', 'horizontal', 'diagonal', 'curved'] as const;
type Direction = (typeof directions)[number];

/** Pairs of colours, as indices into `colours`, the lower first. */
export const colourPairs = colours.flatMap((_, i) =>
  colours.slice(i + 1).map((_, j) => [i, i + 1 + j] as const),
);

interface Edges {
  /** Length by direction, in units of the flag's side (its width or height, whichever the edge runs along). */
  readonly byDirection: Readonly<Record<Direction, number>>;
  /** Length by the colours that meet, in the order of `colourPairs`. */
  readonly byPair: readonly number[];
}

export function measureEdges(flag: FlagDescription, raster: Uint8Array): Edges {
  const byDirection = { vertical: 0, horizontal: 0, diagonal: 0, curved: 0 };
  const byPair = colourPairs.map(() => 0);
  const round = patchesOf(flag).some(({ area }) => area.kind === 'ellipse');
  for (let row = 0; row + 1 < side; row++) {
    for (let column = 0; column + 1 < side; column++) {
      const at = row * side + column;
      const corners = [raster[at], raster[at + 1], raster[at + side], raster[at + side + 1]] as const;
      if (corners.includes(none)) continue;
      const direction = directionOf(corners);
      if (!direction) continue;
      // A straight diagonal passes through two such places for every step down.
      const length = (direction === 'diagonal' ? 0.5 : 1) / (side - 1);
      byDirection[round ? 'curved' : direction] += length;
      const [low, high] = [Math.min(...corners), Math.max(...corners)];
      byPair[colourPairs.findIndex(([a, b]) => a === low && b === high)] += length;
    }
  }
  return { byDirection, byPair };
}

type Corners = readonly [upperLeft: number, upperRight: number, lowerLeft: number, lowerRight: number];

function directionOf([upperLeft, upperRight, lowerLeft, lowerRight]: Corners): Direction | null {
  const across = [upperLeft !== upperRight, lowerLeft !== lowerRight].filter(Boolean).length;
  const down = [upperLeft !== lowerLeft, upperRight !== lowerRight].filter(Boolean).length;
  if (across === 0 && down === 0) return null;
  if (down === 0) return 'vertical';
  if (across === 0) return 'horizontal';
  return 'diagonal';
}
