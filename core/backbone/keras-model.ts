/** Reads a Keras layers model as TensorFlow.js stores it: model.json (topology and manifest) and shards of weights. */
import { z } from 'zod';
import { Failure } from '../failures.js';

export interface KerasLayer {
  readonly name: string;
  readonly type: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Names of the layers that feed this one. */
  readonly inputs: readonly string[];
}

interface KerasWeight {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

export interface KerasModel {
  readonly layers: readonly KerasLayer[];
  readonly weights: ReadonlyMap<string, KerasWeight>;
}

const layerSchema = z.object({
  class_name: z.string(),
  name: z.string(),
  config: z.record(z.string(), z.unknown()),
  inbound_nodes: z.array(z.array(z.tuple([z.string()], z.unknown()))),
});
const networkSchema = z.object({
  class_name: z.enum(['Model', 'Functional']),
  config: z.object({ layers: z.array(layerSchema) }),
});
const modelSchema = z.object({
  modelTopology: z.union([z.object({ model_config: networkSchema }), networkSchema]),
  weightsManifest: z.array(
    z.object({
      paths: z.array(z.string()),
      weights: z.array(
        z.object({
          name: z.string(),
          shape: z.array(z.int()),
          dtype: z.literal('float32'),
          quantization: z.undefined().optional(),
        }),
      ),
    }),
  ),
});

/** `file` returns the bytes of a file, given its path relative to model.json. */
export function readKerasModel(text: string, file: (path: string) => Uint8Array): KerasModel {
  const parsed = modelSchema.safeParse(JSON.parse(text));
  if (!parsed.success)
    throw new Failure(
      'backbone-invalid',
      `This is not a Keras layers model that can be converted:\n${z.prettifyError(parsed.error)}`,
    );
  const { modelTopology, weightsManifest } = parsed.data;
  const network = 'model_config' in modelTopology ? modelTopology.model_config : modelTopology;
  const layers = network.config.layers.map(({ name, class_name, config, inbound_nodes }) => {
    if (inbound_nodes.length > 1) throw unsupported(name, 'is used more than once');
    return {
      name,
      type: class_name,
      settings: config,
      inputs: (inbound_nodes[0] ?? []).map(([input]) => input),
    };
  });
  const weights = new Map<string, KerasWeight>();
  for (const group of weightsManifest) {
    const bytes = joined(group.paths.map(file));
    let offset = 0;
    for (const { name, shape } of group.weights) {
      const count = shape.reduce((product, size) => product * size, 1);
      if (offset + 4 * count > bytes.byteLength)
        throw new Failure(
          'backbone-invalid',
          `The weights end before ${name}: a shard is missing or cut off.`,
        );
      weights.set(name, { shape, values: new Float32Array(bytes.buffer, offset, count) });
      offset += 4 * count;
    }
  }
  return { layers, weights };
}

export function unsupported(layer: string, why: string): Failure {
  return new Failure(
    'backbone-invalid',
    `The layer "${layer}" ${why}, which the conversion to ONNX does not support. Convert the model with another tool and give the ONNX file to "unseen backbone add".`,
  );
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
