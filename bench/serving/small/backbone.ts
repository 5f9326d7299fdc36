import type { Backbone } from '../../../core/backbone/backbone.js';
import { backboneEntrySchema, identityOf } from '../../../core/backbone/catalogue.js';
import { Graph } from '../../../core/compute/graph.js';
import { sha256Of } from '../../../core/hash.js';
import { Random } from '../../../core/random.js';

export interface SmallNetwork {
  readonly size?: number;
  readonly features?: number;
  /** A classifier behind the features, which is then the only output. */
  readonly classes?: number;
}

/** An ONNX file as a user might bring: convolution, ReLU, global average pool, and perhaps a classifier. */
export function smallNetwork({ size = 16, features = 12, classes }: SmallNetwork = {}): Uint8Array {
  const random = new Random(3);
  const graph = new Graph('small');
  const constant = (shape: readonly number[], scale: number) =>
    graph.constant(
      shape,
      random.fillNormal(new Float32Array(shape.reduce((product, length) => product * length, 1)), scale),
    );
  const pictures = graph.input('data', ['batch', 3, size, size]);
  const convolved = graph.convolve(pictures, constant([features, 3, 3, 3], 0.2), constant([features], 0.1), {
    strides: [2, 2],
    pads: [1, 1, 1, 1],
  });
  const pooled = graph.flatten(graph.globalAveragePool(graph.relu(convolved)));
  if (classes === undefined) return graph.encode({ pooled });
  const scores = graph.linear(pooled, constant([features, classes], 1), constant([classes], 1));
  return graph.encode({ probabilities: graph.softmax(scores) });
}

/** The same, opened: what the pipeline takes. */
export function smallBackbone(network: SmallNetwork = {}): Backbone {
  const { size = 16, features = 12 } = network;
  const model = smallNetwork({ size, features });
  const entry = backboneEntrySchema.parse({
    name: 'small',
    description: 'For tests and benches.',
    source: { kind: 'file', file: 'small.onnx', sha256: sha256Of(model), format: 'onnx' },
    licence: 'Apache-2.0',
    preprocessing: {
      width: size,
      height: size,
      fit: 'squash',
      kernel: 'cubic',
      channelOrder: 'rgb',
      layout: 'nchw',
      scale: 1 / 255,
      mean: [0.5, 0.5, 0.5],
      standardDeviation: [0.5, 0.5, 0.5],
    },
    featureLayer: null,
    featureWidth: features,
    sha256: sha256Of(model),
  });
  return { entry, identity: identityOf(entry), model };
}
