import type { Dimension } from './onnx-format.js';

export type Shape = readonly Dimension[];

export function showShape(shape: Shape): string {
  return `[${shape.join(', ')}]`;
}

/** How many values a tensor of known size holds. */
export function sizeOf(shape: Shape): number {
  return shape.reduce<number>((product, size) => {
    if (typeof size !== 'number')
      throw new RangeError(`${showShape(shape)} has a size that only a run knows`);
    return product * size;
  }, 1);
}

/** NumPy's rule: aligned from the right, sizes equal or one of them 1. */
export function broadcastShapes(a: Shape, b: Shape): Dimension[] {
  const length = Math.max(a.length, b.length);
  return Array.from({ length }, (_, i) => {
    const left = a[i - length + a.length] ?? 1;
    const right = b[i - length + b.length] ?? 1;
    if (left === right || right === 1) return left;
    if (left === 1) return right;
    throw new RangeError(`shapes ${showShape(a)} and ${showShape(b)} do not fit together`);
  });
}

export function reducedShape(shape: Shape, axes: readonly number[]): Dimension[] {
  return shape.map((size, axis) => (axes.includes(axis) ? 1 : size));
}

/** The axes over which a gradient of shape `from` must be summed to fit a value that was broadcast from `to`. */
export function broadcastAxes(from: Shape, to: Shape): number[] {
  const missing = from.length - to.length;
  return from.flatMap((size, axis) =>
    axis < missing || (to[axis - missing] === 1 && size !== 1) ? [axis] : [],
  );
}
