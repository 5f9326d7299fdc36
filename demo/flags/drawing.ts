import { aspect, type Colour, type FlagDescription } from './description.js';
import type { Area } from './geometry.js';
import { outlineOf, patchesOf } from './layouts.js';

export type Dyes = Readonly<Record<Colour, string>>;

export const standardDyes: Dyes = {
  red: '#c9152b',
  yellow: '#fbd116',
  blue: '#12409c',
  white: '#f4f4ef',
  black: '#17171b',
};

/** The flag laid flat, as SVG, `height` pixels high; transparent where there is no cloth. */
export function drawFlat(flag: FlagDescription, height: number, dyes: Dyes = standardDyes): string {
  const width = Math.round(height * aspect);
  const shape = (area: Area, rest: string): string => {
    if (area.kind === 'ellipse') {
      const { centre, radii } = area;
      return `<ellipse cx="${centre[0]}" cy="${centre[1]}" rx="${radii[0]}" ry="${radii[1]}" ${rest}/>`;
    }
    return `<polygon points="${area.points.map((point) => point.join(',')).join(' ')}" ${rest}/>`;
  };
  // Patches that meet are painted without smoothing: two half-covered edges would let the ground show through.
  const patches = patchesOf(flag).map(({ colour, area }) => shape(area, `fill="${dyes[colour]}"`));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 1 1" ` +
    `preserveAspectRatio="none" shape-rendering="crispEdges"><clipPath id="outline">${shape(outlineOf(flag), '')}` +
    `</clipPath><g clip-path="url(#outline)">${patches.join('')}</g></svg>`
  );
}
