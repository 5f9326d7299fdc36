/** Turns a Keras layers model into an ONNX graph that returns the features of a batch of pictures. */
import { z } from 'zod';
import { Graph } from '../compute/graph.js';
import { conversions, materialised, type Converted } from './keras-layers.js';
import { unsupported, type KerasModel } from './keras-model.js';

interface ConversionOptions {
  /** The layer whose output is the features; it must give one row per picture. */
  readonly featureLayer: string;
  /** A layer to return as 'probabilities' too: the classifier that the network was trained with. */
  readonly classifierLayer?: string;
}

const inputSettings = z.object({
  batch_input_shape: z.tuple([z.null(), z.int().positive(), z.int().positive(), z.literal(3)]),
});

/** An ONNX file with input 'pictures' (batch, 3, height, width) and output 'features' (batch, width). */
export function kerasToOnnx(model: KerasModel, options: ConversionOptions): Uint8Array {
  const { featureLayer, classifierLayer } = options;
  const graph = new Graph('backbone');
  const done = new Map<string, Converted>();
  const context = { graph, weights: model.weights };
  const wanted = new Set([featureLayer, ...(classifierLayer === undefined ? [] : [classifierLayer])]);
  const consumers = new Map<string, number>();
  for (const name of model.layers.flatMap((layer) => layer.inputs))
    consumers.set(name, (consumers.get(name) ?? 0) + 1);

  for (const layer of model.layers) {
    if (wanted.size === 0) break; // layers after the wanted ones are not converted
    let result: Converted;
    if (layer.type === 'InputLayer') {
      const parsed = inputSettings.safeParse(layer.settings);
      if (!parsed.success) throw unsupported(layer.name, 'is no input of colour pictures of fixed size');
      const [, height, width] = parsed.data.batch_input_shape;
      result = { value: graph.input('pictures', ['batch', 3, height, width]) };
    } else {
      const convert = Object.hasOwn(conversions, layer.type) ? conversions[layer.type] : undefined;
      if (!convert) throw unsupported(layer.name, `is a ${layer.type}`);
      const inputs = layer.inputs.map((name) => {
        const input = done.get(name);
        if (!input) throw unsupported(layer.name, `reads "${name}", which comes after it`);
        return input;
      });
      result = convert(layer, inputs, context);
    }
    // A value that several layers read is computed once, so it cannot be folded into one of them.
    const isShared = (consumers.get(layer.name) ?? 0) > 1;
    if (isShared || wanted.has(layer.name)) {
      const { isNonNegative = false } = result;
      result = { value: materialised(result, graph), isNonNegative };
    }
    done.set(layer.name, result);
    wanted.delete(layer.name);
  }
  if (wanted.size > 0) throw unsupported([...wanted].join(', '), 'is not in the model');

  const features = done.get(featureLayer)!.value;
  if (features.shape.length !== 2) throw unsupported(featureLayer, 'does not give one row per picture');
  return graph.encode({
    features,
    ...(classifierLayer !== undefined && { probabilities: done.get(classifierLayer)!.value }),
  });
}
