/** Paints a grid of cloth triangle by triangle, each point of it with the colour of the flag laid flat. */
import { trianglesOf, type Vertex } from './cloth.js';

export interface Texture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array; // RGBA
}

/** Paints the cloth on a transparent ground of width x height pixels (RGBA); the nearest layer covers the others. */
export function paintCloth(
  vertices: readonly Vertex[],
  texture: Texture,
  width: number,
  height: number,
): Uint8Array {
  const pixels = new Uint8Array(width * height * 4);
  const nearest = new Float32Array(width * height).fill(Infinity);
  for (const [i, j, k] of trianglesOf()) {
    paintTriangle([vertices[i], vertices[j], vertices[k]], texture, { pixels, nearest, width, height });
  }
  return pixels;
}

interface Canvas {
  readonly pixels: Uint8Array;
  readonly nearest: Float32Array; // depth of what is painted there
  readonly width: number;
  readonly height: number;
}

function paintTriangle(
  [a, b, c]: readonly [Vertex, Vertex, Vertex],
  texture: Texture,
  { pixels, nearest, width, height }: Canvas,
): void {
  const area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  if (area === 0) return;
  const left = Math.max(0, Math.ceil(Math.min(a.x, b.x, c.x) - 0.5));
  const right = Math.min(width - 1, Math.floor(Math.max(a.x, b.x, c.x) - 0.5));
  const upper = Math.max(0, Math.ceil(Math.min(a.y, b.y, c.y) - 0.5));
  const lower = Math.min(height - 1, Math.floor(Math.max(a.y, b.y, c.y) - 0.5));
  for (let y = upper; y <= lower; y++) {
    for (let x = left; x <= right; x++) {
      const px = x + 0.5 - a.x;
      const py = y + 0.5 - a.y;
      const wb = (px * (c.y - a.y) - (c.x - a.x) * py) / area;
      const wc = ((b.x - a.x) * py - px * (b.y - a.y)) / area;
      const wa = 1 - wb - wc;
      if (wa < 0 || wb < 0 || wc < 0) continue;
      const depth = wa * a.depth + wb * b.depth + wc * c.depth;
      const at = y * width + x;
      if (depth >= nearest[at]) continue;
      const u = wa * a.u + wb * b.u + wc * c.u;
      const v = wa * a.v + wb * b.v + wc * c.v;
      const column = Math.min(texture.width - 1, Math.floor(u * texture.width));
      const row = Math.min(texture.height - 1, Math.floor(v * texture.height));
      const from = (row * texture.width + column) * 4;
      if (texture.data[from + 3] < 128) continue; // cut away by the outline
      nearest[at] = depth;
      const light = wa * a.light + wb * b.light + wc * c.light;
      pixels[at * 4] = Math.min(255, texture.data[from] * light);
      pixels[at * 4 + 1] = Math.min(255, texture.data[from + 1] * light);
      pixels[at * 4 + 2] = Math.min(255, texture.data[from + 2] * light);
      pixels[at * 4 + 3] = 255;
    }
  }
}
