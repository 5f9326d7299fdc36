import type { Graph, GraphValue } from '../../../core/compute/graph.js';
import type { Operations } from '../contract.js';

/** Programs as ONNX graphs: each operation adds a node to the graph. */
export function graphOperations(graph: Graph): Operations<GraphValue> {
  return {
    shapeOf: (x) => x.shape as readonly number[], // programs are built with every size known
    scalar: (value) => graph.scalar(value),
    constant: (shape, data) => graph.constant(shape, data),
    matmul: (a, b, options) => graph.matmul(a, b, options),
    linear: (x, weight, bias) => graph.linear(x, weight, bias),
    add: (a, b) => graph.add(a, b),
    subtract: (a, b) => graph.subtract(a, b),
    multiply: (a, b) => graph.multiply(a, b),
    divide: (a, b) => graph.divide(a, b),
    relu: (x) => graph.relu(x),
    exp: (x) => graph.exp(x),
    log: (x) => graph.log(x),
    sqrt: (x) => graph.sqrt(x),
    logSoftmax: (x) => graph.logSoftmax(x),
    sum: (x, axes) => graph.sum(x, axes),
    mean: (x, axes) => graph.mean(x, axes),
    max: (x, axes) => graph.max(x, axes),
    concatenate: (parts, axis) => graph.concatenate(parts, axis),
    slice: (x, axis, start, end) => graph.slice(x, axis, start, end),
    reshape: (x, shape) => graph.reshape(x, shape),
    // Differentiation identifies values by object, the graph by name: a new object with the same name is the same
    // value to the runtime and an unrelated one to the gradient, without a node.
    stopGradient: (x) => ({ ...x }),
    choose: (condition, then, otherwise) =>
      graph.choose(
        condition,
        (inside) => then(graphOperations(inside)),
        (inside) => otherwise(graphOperations(inside)),
      ),
  };
}
