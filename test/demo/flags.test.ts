import { expect, it, describe } from 'vitest';
import sharp from 'sharp';
import { attributeNames, attributesOf } from '../../demo/flags/attributes.js';
import {
  aspect,
  colours,
  type Colour,
  type FlagDescription,
  type NamedFlag,
} from '../../demo/flags/description.js';
import { drawFlat, standardDyes } from '../../demo/flags/drawing.js';
import { inventedFlags } from '../../demo/flags/invented.js';
import { contains, type Point } from '../../demo/flags/geometry.js';
import { layoutNames, layouts, outlineOf, patchesOf } from '../../demo/flags/layouts.js';
import { letterFlags } from '../../demo/flags/letters.js';
import { rasterise } from '../../demo/flags/raster.js';

const everyFlag = [...letterFlags, ...inventedFlags];
const flagCalled = (name: string): FlagDescription => everyFlag.find((flag) => flag.name === name)!;
const pictureOf = (flag: FlagDescription): string => Buffer.from(rasterise(flag)).toString('base64');
const known = new Map(everyFlag.map((flag) => [flag, attributesOf(flag)]));
const attributesFor = (flag: FlagDescription): number[] => known.get(flag as NamedFlag)!;

describe('the letter flags', () => {
  it('are 26, one for each letter', () => {
    expect(letterFlags.map(({ name }) => name[0]).join('')).toBe('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  });

  /** Colours along a walk from upper hoist to lower fly: as the International Code of Signals defines them. */
  const seenOnTheFlag: [name: string, at: readonly (readonly [number, number, Colour | null])[]][] = [
    ['Alfa', [[0.2, 0.5, 'white'], [0.6, 0.5, 'blue'], [0.9, 0.5, null], [0.95, 0.05, 'blue']]],
    ['Charlie', [[0.5, 0.1, 'blue'], [0.5, 0.3, 'white'], [0.5, 0.5, 'red'], [0.5, 0.7, 'white'], [0.5, 0.9, 'blue']]],
    ['Delta', [[0.5, 0.15, 'yellow'], [0.5, 0.25, 'blue'], [0.5, 0.75, 'blue'], [0.5, 0.85, 'yellow']]],
    ['Golf', [[0.1, 0.5, 'yellow'], [0.25, 0.5, 'blue'], [0.9, 0.5, 'blue']]],
    ['Lima', [[0.2, 0.2, 'yellow'], [0.8, 0.2, 'black'], [0.2, 0.8, 'black'], [0.8, 0.8, 'yellow']]],
    ['November', [[0.1, 0.1, 'blue'], [0.3, 0.1, 'white'], [0.9, 0.9, 'blue'], [0.9, 0.1, 'white']]],
    ['Oscar', [[0.8, 0.2, 'red'], [0.2, 0.8, 'yellow']]],
    ['Whiskey', [[0.1, 0.1, 'blue'], [0.25, 0.25, 'white'], [0.5, 0.5, 'red']]],
    ['Yankee', [[0.05, 0.05, 'yellow'], [0.15, 0.15, 'red'], [0.95, 0.95, 'red']]],
    ['Zulu', [[0.5, 0.1, 'yellow'], [0.9, 0.5, 'blue'], [0.5, 0.9, 'red'], [0.1, 0.5, 'black']]],
  ]; // prettier-ignore

  it.each(seenOnTheFlag)('%s has its colours where the Code puts them', (name, points) => {
    for (const [u, v, colour] of points) expect(colourAt(flagCalled(name), [u, v])).toBe(colour);
  });

  it('differ from one another in picture and in attributes', () => {
    expect(new Set(letterFlags.map(pictureOf)).size).toBe(26);
    expect(new Set(letterFlags.map((flag) => attributesFor(flag).join())).size).toBe(26);
  });
});

describe('the invented flags', () => {
  it('are 60 to 80, all different', () => {
    expect(inventedFlags.length).toBeGreaterThanOrEqual(60);
    expect(inventedFlags.length).toBeLessThanOrEqual(80);
    expect(new Set(inventedFlags.map(({ name }) => name)).size).toBe(inventedFlags.length);
    expect(new Set(inventedFlags.map(pictureOf)).size).toBe(inventedFlags.length);
  });

  it('are no letter flag, in picture or in attributes', () => {
    const pictures = new Set(letterFlags.map(pictureOf));
    const attributes = new Set(letterFlags.map((flag) => attributesFor(flag).join()));
    for (const flag of inventedFlags) {
      expect(pictures.has(pictureOf(flag)), flag.name).toBe(false);
      expect(attributes.has(attributesFor(flag).join()), flag.name).toBe(false);
    }
  });

  it('are no letter flag with its colours swapped', () => {
    const key = ({ shape, layout, colours }: FlagDescription): string =>
      [shape, layout, ...[...colours].sort()].join();
    const letters = new Set(letterFlags.map(key));
    expect(inventedFlags.filter((flag) => letters.has(key(flag)))).toEqual([]);
  });

  it('show every layout, in at least three sets of colours', () => {
    for (const layout of layoutNames) {
      expect(inventedFlags.filter((flag) => flag.layout === layout).length, layout).toBeGreaterThanOrEqual(3);
    }
  });

  it('vary in every attribute in which the letters vary', () => {
    const varies = (flags: readonly FlagDescription[]): boolean[] => {
      const rows = flags.map(attributesFor);
      return attributeNames.map((_, k) => new Set(rows.map((row) => row[k])).size > 1);
    };
    const [letters, invented] = [varies(letterFlags), varies(inventedFlags)];
    expect(attributeNames.filter((_, k) => letters[k] && !invented[k])).toEqual([]);
  });
});

describe('attributes', () => {
  const value = (flag: string, attribute: string): number => {
    expect(attributeNames).toContain(attribute);
    return attributesFor(flagCalled(flag))[attributeNames.indexOf(attribute)];
  };

  it('have a name each, and values in 0..1', () => {
    expect(new Set(attributeNames).size).toBe(attributeNames.length);
    for (const flag of everyFlag) {
      const values = attributesFor(flag);
      expect(values).toHaveLength(attributeNames.length);
      expect(
        values.every((entry) => entry >= 0 && entry <= 1),
        flag.name,
      ).toBe(true);
    }
  });

  it('give shares of colours that sum to 1', () => {
    for (const flag of everyFlag) {
      const sum = colours.reduce((total, colour) => total + value(flag.name, `colour::${colour}`), 0);
      expect(sum).toBeCloseTo(1, 12);
    }
  });

  it('equal what one computes by hand', () => {
    expect(value('Quebec', 'colour::yellow')).toBe(1);
    expect(value('Delta', 'colour::blue')).toBeCloseTo(3 / 5, 12);
    expect(value('Delta', 'top::yellow')).toBeCloseTo(3 / 5, 12); // a fifth of the flag in a third of it
    expect(value('Papa', 'colour::white')).toBeCloseTo(1 / 4, 12);
    expect(value('Whiskey', 'colour::blue')).toBeCloseTo(1 - 4 / 9, 12);
    expect(value('Whiskey', 'centre::red')).toBe(1);
    expect(value('Xray', 'colour::blue')).toBeCloseTo(0.15 + 0.2 - 0.15 * 0.2, 12);
    expect(value('Alfa', 'colour::white')).toBeCloseTo(0.5 / 0.875, 2); // the notch takes an eighth
    expect(value('India', 'colour::black')).toBeCloseTo((Math.PI * 0.3 * 0.3) / aspect, 2);
    expect(value('Zulu', 'colour::black')).toBeCloseTo(1 / 4, 2);
    expect(value('Tango', 'hoist::red')).toBe(1);
    expect(value('Tango', 'fly::red')).toBe(0);
    expect(value('Kilo', 'top::yellow')).toBe(1 / 2);
  });

  it('count edges by direction and by the colours that meet', () => {
    expect(value('Golf', 'edge::vertical')).toBeCloseTo(5 / 6, 6);
    expect(value('Golf', 'meeting::yellow-blue')).toBeCloseTo(5 / 6, 6);
    expect(value('Golf', 'edge::diagonal')).toBe(0);
    expect(value('Charlie', 'edge::horizontal')).toBeCloseTo(4 / 6, 6);
    expect(value('Oscar', 'edge::diagonal')).toBeCloseTo(1 / 6, 2);
    expect(value('Oscar', 'edge::vertical')).toBe(0);
    expect(value('India', 'edge::curved')).toBeGreaterThan(0.1);
    expect(value('Quebec', 'edge::vertical')).toBe(0);
  });
});

it.each(everyFlag)('the drawing of $name has the colours of its description', async (flag) => {
  const height = 120;
  const { data, info } = await sharp(Buffer.from(drawFlat(flag, height)))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  let [agreeing, compared] = [0, 0];
  for (let y = 2; y < info.height; y += 5) {
    for (let x = 2; x < info.width; x += 5) {
      const colour = colourAt(flag, [(x + 0.5) / info.width, (y + 0.5) / info.height]);
      const pixel = data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4);
      const drawn = pixel[3] < 128 ? null : `#${pixel.subarray(0, 3).toString('hex')}`;
      compared += 1;
      agreeing += Number(drawn === (colour && standardDyes[colour]));
    }
  }
  expect(agreeing / compared).toBeGreaterThan(0.98); // samples on an edge may fall to either side
});

it('every layout has a slot for each colour that it paints', () => {
  for (const layout of layoutNames) {
    const { slots, areas } = layouts[layout];
    expect(new Set(areas.map(([slot]) => slot)).size).toBe(slots.length);
  }
});

/** The colour of the cloth at a point, or null where there is no cloth. */
function colourAt(flag: FlagDescription, point: Point): Colour | null {
  if (!contains(outlineOf(flag), point)) return null;
  return patchesOf(flag).findLast(({ area }) => contains(area, point))?.colour ?? null;
}
