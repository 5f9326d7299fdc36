/**
 * Reverse-mode differentiation of a graph: walks its nodes backwards from a loss and adds, for each node that the
 * parameters reach, the nodes that carry the gradient to its inputs (the chain rule, one operator at a time).
 */
import type { Graph, GraphNode, GraphValue } from '../../../core/compute/graph.js';
import { broadcastAxes } from '../../../core/compute/shapes.js';

/** For each input of a node, builds its gradient from the output's; null where no gradient flows. */
type Rule = (graph: Graph, node: GraphNode, dy: GraphValue) => ((() => GraphValue) | null)[];

/**
 * Operators through which no gradient flows. Comparison and sign are constant almost everywhere; If and ReduceMax stop
 * gradients by the contract of the engines (`choose` and `max` in contract.ts).
 */
const withoutGradient: ReadonlySet<string> = new Set(['Greater', 'Sign', 'If', 'ReduceMax']);

export function differentiate(
  graph: Graph,
  loss: GraphValue,
  parameters: readonly GraphValue[],
): GraphValue[] {
  const forward = [...graph.nodes];
  const reached = new Set<GraphValue>(parameters);
  for (const node of forward) {
    if (withoutGradient.has(node.operator) || !node.inputs.some((input) => reached.has(input))) continue;
    for (const output of node.outputs) reached.add(output);
  }

  const gradients = new Map<GraphValue, GraphValue>([
    [loss, graph.constant(loss.shape as number[], Float32Array.of(1))],
  ]);
  for (const node of forward.reverse()) {
    const output = node.outputs.find((value) => reached.has(value) && gradients.has(value));
    if (!output) continue;
    ruleFor(node)(graph, node, gradients.get(output)!).forEach((build, position) => {
      const input = node.inputs[position];
      if (!build || !reached.has(input)) return;
      const gradient = build();
      const before = gradients.get(input);
      gradients.set(input, before ? graph.add(before, gradient) : gradient);
    });
  }
  return parameters.map((parameter) => {
    const gradient = gradients.get(parameter);
    if (!gradient) throw new Error(`the loss does not depend on ${parameter.name}`);
    return gradient;
  });
}

/** An operator between parameters and loss that has no rule would lose its part of the gradient, so it is an error. */
function ruleFor({ operator }: GraphNode): Rule {
  if (Object.hasOwn(rules, operator)) return rules[operator];
  throw new Error(
    `The gradient of the operator ${operator} is not known. Add a rule for it to differentiate.ts, or apply stopGradient to its input.`,
  );
}

/** Sums a gradient over the axes along which its value was broadcast. */
function sumToShape(graph: Graph, gradient: GraphValue, target: GraphValue): GraphValue {
  const axes = broadcastAxes(gradient.shape, target.shape);
  const summed = axes.length > 0 ? graph.sum(gradient, axes) : gradient;
  return summed.shape.length === target.shape.length
    ? summed
    : graph.reshape(summed, target.shape as number[]);
}

const rules: Record<string, Rule> = {
  Gemm(graph, node, dy) {
    const [a, b, bias] = node.inputs as [GraphValue, GraphValue, GraphValue?];
    const transposeA = 'int' in node.attributes.transA && node.attributes.transA.int === 1;
    const transposeB = 'int' in node.attributes.transB && node.attributes.transB.int === 1;
    const alpha = 'float' in node.attributes.alpha ? node.attributes.alpha.float : 1;
    return [
      () =>
        transposeA
          ? graph.matmul(b, dy, { transposeA: transposeB, transposeB: true, alpha })
          : graph.matmul(dy, b, { transposeB: !transposeB, alpha }),
      () =>
        transposeB
          ? graph.matmul(dy, a, { transposeA: true, transposeB: transposeA, alpha })
          : graph.matmul(a, dy, { transposeA: !transposeA, alpha }),
      ...(bias ? [() => sumToShape(graph, dy, bias)] : []),
    ];
  },
  Add(graph, node, dy) {
    return node.inputs.map((input) => () => sumToShape(graph, dy, input));
  },
  Sub(graph, node, dy) {
    const [a, b] = node.inputs as [GraphValue, GraphValue];
    return [() => sumToShape(graph, dy, a), () => graph.negate(sumToShape(graph, dy, b))];
  },
  Mul(graph, node, dy) {
    const [a, b] = node.inputs as [GraphValue, GraphValue];
    return [
      () => sumToShape(graph, graph.multiply(dy, b), a),
      () => sumToShape(graph, graph.multiply(dy, a), b),
    ];
  },
  Div(graph, node, dy) {
    const [a, b] = node.inputs as [GraphValue, GraphValue];
    const quotient = node.outputs[0];
    return [
      () => sumToShape(graph, graph.divide(dy, b), a),
      () => graph.negate(sumToShape(graph, graph.divide(graph.multiply(dy, quotient), b), b)),
    ];
  },
  Relu(graph, node, dy) {
    return [() => graph.whereAboveZero(node.outputs[0], dy)];
  },
  Exp(graph, node, dy) {
    return [() => graph.multiply(dy, node.outputs[0])];
  },
  Log(graph, node, dy) {
    return [() => graph.divide(dy, node.inputs[0])];
  },
  Sqrt(graph, node, dy) {
    return [() => graph.divide(graph.multiply(dy, graph.scalar(0.5)), node.outputs[0])];
  },
  LogSoftmax(graph, node, dy) {
    const lastAxis = dy.shape.length - 1;
    const total = () => graph.sum(dy, [lastAxis]);
    return [() => graph.subtract(dy, graph.multiply(graph.exp(node.outputs[0]), total()))];
  },
  ReduceSum(graph, node, dy) {
    return [() => graph.expand(dy, node.inputs[0].shape as number[]), null];
  },
  ReduceMean(graph, node, dy) {
    const shape = node.inputs[0].shape as number[];
    const share = (node.outputs[0].shape as number[]).reduce((n, size, i) => (n * size) / shape[i], 1);
    return [() => graph.expand(graph.multiply(dy, graph.scalar(share)), shape), null];
  },
  Concat(graph, node, dy) {
    const axis = 'int' in node.attributes.axis ? node.attributes.axis.int : 0;
    let start = 0;
    return node.inputs.map((input) => {
      const from = start;
      start += input.shape[axis] as number;
      const to = start;
      return () => graph.slice(dy, axis, from, to);
    });
  },
  Slice(graph, node, dy) {
    const shape = node.inputs[0].shape as number[];
    const { axis, start, end } = node.range!;
    const zeros = (size: number): GraphValue[] =>
      size === 0
        ? []
        : [
            graph.expand(
              graph.scalar(0),
              shape.map((other, i) => (i === axis ? size : other)),
            ),
          ];
    const build = () => graph.concatenate([...zeros(start), dy, ...zeros(shape[axis] - end)], axis);
    return [build, null, null, null];
  },
  Reshape(graph, node, dy) {
    return [() => graph.reshape(dy, node.inputs[0].shape as number[]), null];
  },
};
