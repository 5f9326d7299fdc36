/**
 * The range of every point over pictures: the float network runs with the minimum and maximum of each point as its outputs. Of the
 * extremes of all pictures, the range takes in those of nine pictures in ten: the widest tenth would cost all others precision
 * (docs/decisions/0011-int8-networks.md has the figures).
 */
import { writeNode } from '../../compute/onnx-format.js';
import { BoundTensor, Session } from '../../compute/session.js';
import { Failure } from '../../failures.js';
import type { Watcher } from '../../progress.js';
import { stopIfAsked } from '../../stop.js';
import type { BackboneEntry } from '../catalogue.js';
import { encoded, encodeOnnx, floatOutput, readNode } from '../onnx-file.js';
import { pictureSize } from '../picture-tensor.js';
import type { Network } from './network.js';
import type { QuantisationPlan } from './plan.js';
import type { TensorRange, Ranges } from './ranges.js';

const shareWithin = 0.9;
/** Ranges need no more, and are to be read by people. */
const digits = 6;

/** The extremes of a point on each picture; `low` with the sign turned, so that larger is wider in both. */
interface Extremes {
  readonly low: number[];
  readonly high: number[];
}

/** `prepare` gives the i-th picture as the network takes it, or null where it cannot be read. */
export async function calibrate(
  network: Network,
  { points }: QuantisationPlan,
  { preprocessing, fixedBatch }: Pick<BackboneEntry, 'preprocessing' | 'fixedBatch'>,
  pictures: { readonly count: number; prepare(index: number): Promise<Float32Array | null> },
  watcher: Watcher,
): Promise<Ranges> {
  const { layout, width, height } = preprocessing;
  const batch = fixedBatch ?? 1;
  const shape = layout === 'nchw' ? [batch, 3, height, width] : [batch, height, width, 3];
  const data = new Float32Array(batch * pictureSize(preprocessing));
  const tensor = BoundTensor.floats(shape, data);
  const session = await Session.open(measuringModel(network, points));
  const progress = watcher.progress('Calibrating', pictures.count);
  const extremes = points.map((): Extremes => ({ low: [], high: [] }));
  try {
    for (let index = 0; index < pictures.count; index++) {
      stopIfAsked(watcher.signal);
      const picture = await pictures.prepare(index);
      if (picture) {
        for (let at = 0; at < data.length; at += picture.length) data.set(picture, at);
        const answers = await session.run({ [session.inputNames[0]]: tensor });
        const answer = (name: string): number => (answers[name].data as Float32Array)[0];
        for (const [position, { low, high }] of extremes.entries()) {
          const [min, max] = outputNames(position).map(answer);
          if (!Number.isFinite(min) || !Number.isFinite(max))
            throw new Failure(
              'backbone-invalid',
              `"${points[position]}" has values that are not finite on a picture.`,
            );
          low.push(-min);
          high.push(max);
        }
      }
      progress.update(index + 1);
    }
  } finally {
    progress.stop();
    await session.release();
  }
  if (extremes[0].low.length === 0)
    throw new Failure('usage', 'None of the pictures could be read, so there is nothing to calibrate on.');
  return Object.fromEntries(
    extremes.map(({ low, high }, position): [string, TensorRange] => [
      points[position],
      [-reach(low) || 0, reach(high)],
    ]),
  );
}

/** How far nine pictures in ten go, in the digits that are kept. */
function reach(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Number(sorted[Math.floor(shareWithin * values.length)].toPrecision(digits));
}

const outputNames = (position: number): [string, string] => [
  `range-low-${position}`,
  `range-high-${position}`,
];

/** Without axes, ReduceMin and ReduceMax take in the whole tensor in every version of ONNX. */
function measuringModel({ file, nodes }: Network, points: readonly string[]): Uint8Array {
  const measuring = points.flatMap((name, position) =>
    (['ReduceMin', 'ReduceMax'] as const).map((operator, which) => {
      const outputs = [outputNames(position)[which]];
      const attributes = { keepdims: { int: 0 } };
      return readNode(encoded(writeNode, { operator, inputs: [name], outputs, attributes }));
    }),
  );
  const outputs = points.flatMap((_, position) => outputNames(position).map(floatOutput));
  return encodeOnnx({ ...file, graph: { ...file.graph, nodes: [...nodes, ...measuring], outputs } });
}
