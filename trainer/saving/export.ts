import { Graph, type GraphValue } from '../../core/compute/graph.js';
import type { Operations } from '../engine/contract.js';
import { graphOperations } from '../engine/onnx/operations.js';
import {
  closedFormShapes,
  generate,
  generatorShapes,
  predict,
  predictorShapes,
} from '../generator/networks.js';
import type { TrainedNetworks } from '../generator/networks.js';

/** ONNX: attributes (rows, d) encoded, noise (rows, z) -> features (rows, D) mapped. */
export function exportGenerator({ sizes, weights }: TrainedNetworks): Uint8Array {
  const shapes = { ...generatorShapes(sizes), ...closedFormShapes(sizes) };
  return exportNetwork('generator', shapes, weights, (graph, ops, constants) => {
    const attributes = graph.input('attributes', ['rows', sizes.attributes]);
    const noise = graph.input('noise', ['rows', sizes.noise]);
    return { features: generate(ops, constants, sizes, attributes, noise) };
  });
}

/** ONNX: features (rows, D) mapped -> attributes (rows, d) encoded. */
export function exportPredictor({ sizes, weights }: TrainedNetworks): Uint8Array {
  return exportNetwork('predictor', predictorShapes(sizes), weights, (graph, ops, constants) => {
    const features = graph.input('features', ['rows', sizes.features]);
    return { attributes: predict(ops, constants, features) };
  });
}

function exportNetwork(
  name: string,
  shapes: Readonly<Record<string, readonly number[]>>,
  weights: TrainedNetworks['weights'],
  build: (
    graph: Graph,
    ops: Operations<GraphValue>,
    constants: Record<string, GraphValue>,
  ) => Record<string, GraphValue>,
): Uint8Array {
  const graph = new Graph(name);
  const constants = Object.fromEntries(
    Object.entries(shapes).map(([key, shape]) => [key, graph.constant(shape, weights[key])]),
  );
  return graph.encode(build(graph, graphOperations(graph), constants));
}
