/**
 * Cloth in the wind: a grid of points in space, seen through a pinhole camera.
 *
 * A point (u, v) of the cloth hangs at x = u, y = v, z = 0. Waves that grow from the hoist to the fly push it out of
 * the plane, and along with that up and down; then the whole is turned and projected.
 */
import type { Random } from '../../core/random.js';
import { aspect } from './description.js';

interface Wind {
  /** Waves that run along the cloth; `slant` makes their crests lean. */
  readonly waves: readonly { height: number; length: number; phase: number; slant: number }[];
  readonly droop: number; // how far the fly sinks, in heights
}

export interface Pose {
  readonly yaw: number; // about the pole, radians
  readonly pitch: number;
  readonly roll: number; // in the picture's plane
  readonly height: number; // of the hoist, in pixels
  readonly centre: readonly [x: number, y: number]; // of the cloth, in pixels
  readonly distance: number; // of the camera, in heights of the flag: near gives more perspective
}

/** Where a grid point appears, how far it is, and how bright the cloth is there. */
export interface Vertex {
  readonly x: number;
  readonly y: number;
  readonly depth: number;
  readonly light: number;
  readonly u: number;
  readonly v: number;
}

type Vector = readonly [number, number, number];

const gridColumns = 48;
const gridRows = 16;

export function drawWind(random: Random): Wind {
  const between = (low: number, high: number): number => low + (high - low) * random.uniform();
  const strength = between(0.02, 0.09);
  return {
    waves: [0, 1].map((i) => ({
      height: strength / (1 + i),
      length: between(0.45, 1.1) / (1 + i),
      phase: between(0, 2 * Math.PI),
      slant: between(-0.5, 0.5),
    })),
    droop: between(-0.02, 0.1),
  };
}

/** The grid as the camera sees it, row by row. */
export function placeCloth(wind: Wind, pose: Pose, light: Vector): Vertex[] {
  const vertices: Vertex[] = [];
  for (let row = 0; row <= gridRows; row++) {
    for (let column = 0; column <= gridColumns; column++) {
      const [u, v] = [column / gridColumns, row / gridRows];
      const here = turn(hang(wind, u, v), pose);
      const normal = cross(
        minus(turn(hang(wind, u + 0.01, v), pose), here),
        minus(turn(hang(wind, u, v + 0.01), pose), here),
      );
      const facing = dot(normal, light) / Math.hypot(...normal);
      const scale = (pose.height * pose.distance) / (pose.distance + here[2]);
      vertices.push({
        x: pose.centre[0] + here[0] * scale,
        y: pose.centre[1] + here[1] * scale,
        depth: here[2],
        light: 0.55 + 0.5 * Math.abs(facing), // thin cloth is lit from either side
        u,
        v,
      });
    }
  }
  return vertices;
}

/** The two triangles of every square of the grid, as indices into its points. */
export function* trianglesOf(): Generator<readonly [number, number, number]> {
  for (let row = 0; row < gridRows; row++) {
    for (let column = 0; column < gridColumns; column++) {
      const corner = row * (gridColumns + 1) + column;
      const below = corner + gridColumns + 1;
      yield [corner, corner + 1, below];
      yield [corner + 1, below + 1, below];
    }
  }
}

function hang({ waves, droop }: Wind, u: number, v: number): Vector {
  let push = 0;
  for (const { height, length, phase, slant } of waves) {
    push += height * Math.sin((2 * Math.PI * (u + slant * v)) / length + phase);
  }
  push *= Math.sqrt(Math.max(u, 0)); // the pole holds the hoist still
  return [(u - 0.5) * aspect, v - 0.5 + droop * u * u + 0.45 * push, push];
}

function turn([x, y, z]: Vector, { yaw, pitch, roll }: Pose): Vector {
  const [x1, z1] = [x * Math.cos(yaw) + z * Math.sin(yaw), z * Math.cos(yaw) - x * Math.sin(yaw)];
  const [y2, z2] = [y * Math.cos(pitch) - z1 * Math.sin(pitch), z1 * Math.cos(pitch) + y * Math.sin(pitch)];
  return [x1 * Math.cos(roll) - y2 * Math.sin(roll), y2 * Math.cos(roll) + x1 * Math.sin(roll), z2];
}

function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
