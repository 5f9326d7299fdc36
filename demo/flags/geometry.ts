/**
 * Areas of a flag's cloth, in normalised coordinates: u runs from hoist (0) to fly (1), v from top (0)
 * to bottom (1).
 */
export type Point = readonly [u: number, v: number];

export type Area =
  | { readonly kind: 'polygon'; readonly points: readonly Point[] }
  | { readonly kind: 'ellipse'; readonly centre: Point; readonly radii: Point };

export const polygon = (...points: Point[]): Area => ({ kind: 'polygon', points });

export const rectangle = (left: number, top: number, right: number, bottom: number): Area =>
  polygon([left, top], [right, top], [right, bottom], [left, bottom]);

export const wholeCloth = rectangle(0, 0, 1, 1);

/** Whether a point is inside; polygons use the even-odd rule. */
export function contains(area: Area, [u, v]: Point): boolean {
  if (area.kind === 'ellipse') {
    const [across, down] = [(u - area.centre[0]) / area.radii[0], (v - area.centre[1]) / area.radii[1]];
    return across * across + down * down <= 1;
  }
  let inside = false;
  area.points.forEach(([u1, v1], i) => {
    const [u2, v2] = area.points[(i + 1) % area.points.length];
    if (v1 > v !== v2 > v && u < u1 + ((v - v1) / (v2 - v1)) * (u2 - u1)) inside = !inside;
  });
  return inside;
}
