import { colours, type Colour, type FlagDescription } from './description.js';
import { contains } from './geometry.js';
import { outlineOf, patchesOf } from './layouts.js';

/** Samples along each side. 120 has 2, 3, 4, 5, 6 and 8 as factors, so that the edges of layouts fall between samples. */
export const side = 120;

/** No cloth at this sample. */
export const none = 255;

/** The colour of the cloth at the middle of side x side cells, row by row, as an index into `colours`, or `none`. */
export function rasterise(flag: FlagDescription): Uint8Array {
  const raster = new Uint8Array(side * side).fill(none);
  const outline = outlineOf(flag);
  const patches = patchesOf(flag).reverse();
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const point = [(column + 0.5) / side, (row + 0.5) / side] as const;
      if (!contains(outline, point)) continue;
      const patch = patches.find(({ area }) => contains(area, point));
      if (patch) raster[row * side + column] = colourIndex[patch.colour];
    }
  }
  return raster;
}

const colourIndex = Object.fromEntries(colours.map((colour, i) => [colour, i])) as Record<Colour, number>;
