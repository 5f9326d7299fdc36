/** The range of every point over pictures: the fp32 network runs with the minimum and maximum of each point as its outputs. */
import { writeNode } from '../../compute/onnx-format.js';
import { BoundTensor, Session } from '../../compute/session.js';
import { Failure } from '../../failures.js';
import type { Watcher } from '../../progress.js';
import { stopIfAsked } from '../../stop.js';
import type { BackboneEntry } from '../catalogue.js';
import { encoded, encodeOnnx, floatOutput, readNode } from '../onnx-file.js';
import { pictureSize } from '../preprocess.js';
import type { Network } from './network.js';
import type { QuantisationPlan } from './plan.js';
import type { Range, Ranges } from './ranges.js';

/** Ranges need no more, and are to be read by people. */
const digits = 6;

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
  const ranges = new Map<string, Range>();
  try {
    for (let index = 0; index < pictures.count; index++) {
      stopIfAsked(watcher.signal);
      const picture = await pictures.prepare(index);
      if (picture) {
        for (let at = 0; at < data.length; at += picture.length) data.set(picture, at);
        const answers = await session.run({ [session.inputNames[0]]: tensor });
        for (const [position, name] of points.entries()) {
          const [low, high] = outputNames(position).map(
            (output) => (answers[output].data as Float32Array)[0],
          );
          if (!Number.isFinite(low) || !Number.isFinite(high))
            throw new Failure('backbone-invalid', `"${name}" has values that are not finite on a picture.`);
          const [least, most] = ranges.get(name) ?? [low, high];
          ranges.set(name, [Math.min(least, low), Math.max(most, high)]);
        }
      }
      progress.update(index + 1);
    }
  } finally {
    progress.stop();
    await session.release();
  }
  if (ranges.size === 0)
    throw new Failure('usage', 'None of the pictures could be read, so there is nothing to calibrate on.');
  const rounded = (value: number): number => Number(value.toPrecision(digits));
  return Object.fromEntries([...ranges].map(([name, [low, high]]) => [name, [rounded(low), rounded(high)]]));
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
