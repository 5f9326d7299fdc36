/**
 * A typed builder of ONNX graphs. Every method adds one operator and answers the value that it makes, with its shape
 * worked out, so that a wrong shape fails here, with both shapes in the message, and not deep inside the runtime.
 */
import {
  encodeModel,
  type AttributeValue,
  type Dimension,
  type ElementType,
  type GraphContent,
  type NodeContent,
  type TensorContent,
} from './onnx-format.js';
import { broadcastShapes, reducedShape, showShape, sizeOf } from './shapes.js';

export interface GraphValue {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly Dimension[];
}

/** A node as built: what differentiation walks over. */
export interface GraphNode {
  readonly operator: string;
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** The range of a Slice; in the file itself it is three constants. */
  readonly range?: SliceRange;
}

interface SliceRange {
  readonly axis: number;
  readonly start: number;
  readonly end: number;
}

interface MatmulOptions {
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
  readonly alpha?: number;
}

/** Top, left, bottom, right. */
export type Pads = readonly [number, number, number, number];

/** How a kernel slides over a picture; pairs are height, width. */
interface Window {
  readonly kernel: readonly number[];
  readonly strides: readonly [number, number];
  readonly dilations?: readonly [number, number];
  readonly pads: Pads;
}

export class Graph {
  readonly nodes: GraphNode[] = [];
  private readonly inputs: GraphValue[] = [];
  private readonly constants: TensorContent[] = [];
  private readonly scalars = new Map<number, GraphValue>();
  private count = 0;

  /** A graph inside another (the body of Scan or If) sees the outer one's values, so names must not clash. */
  constructor(
    readonly name: string,
    private readonly prefix = '',
  ) {}

  input(name: string, shape: readonly Dimension[], type: ElementType = 'float32'): GraphValue {
    const value = { name: this.prefix + name, type, shape };
    this.inputs.push(value);
    return value;
  }

  constant(shape: readonly number[], data: Float32Array): GraphValue {
    return this.constantBytes(
      'float32',
      shape,
      new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    );
  }

  integers(values: readonly number[]): GraphValue {
    const data = BigInt64Array.from(values, (value) => BigInt(value));
    return this.constantBytes('int64', [values.length], new Uint8Array(data.buffer));
  }

  scalar(value: number): GraphValue {
    let known = this.scalars.get(value);
    if (!known) {
      known = this.constant([], Float32Array.of(value));
      this.scalars.set(value, known);
    }
    return known;
  }

  /** A 2-D product; Gemm transposes for free, where MatMul would want a copy. */
  matmul(a: GraphValue, b: GraphValue, options: MatmulOptions = {}): GraphValue {
    return this.gemm([a, b], options);
  }

  /** x W + bias, in one operator. */
  linear(x: GraphValue, weight: GraphValue, bias: GraphValue): GraphValue {
    return this.gemm([x, weight, bias], {});
  }

  private gemm(inputs: readonly GraphValue[], options: MatmulOptions): GraphValue {
    const [a, b] = inputs as [GraphValue, GraphValue];
    const { transposeA = false, transposeB = false, alpha = 1 } = options;
    const [rows, inner] = transposeA ? [a.shape[1], a.shape[0]] : [a.shape[0], a.shape[1]];
    const [inner2, columns] = transposeB ? [b.shape[1], b.shape[0]] : [b.shape[0], b.shape[1]];
    if (a.shape.length !== 2 || b.shape.length !== 2 || inner !== inner2) {
      throw new RangeError(`cannot multiply ${showShape(a.shape)} by ${showShape(b.shape)}`);
    }
    return this.add_('Gemm', inputs, [rows, columns], {
      transA: { int: transposeA ? 1 : 0 },
      transB: { int: transposeB ? 1 : 0 },
      alpha: { float: alpha },
    });
  }

  add(a: GraphValue, b: GraphValue): GraphValue {
    return this.elementwise('Add', a, b);
  }
  subtract(a: GraphValue, b: GraphValue): GraphValue {
    return this.elementwise('Sub', a, b);
  }
  multiply(a: GraphValue, b: GraphValue): GraphValue {
    return this.elementwise('Mul', a, b);
  }
  divide(a: GraphValue, b: GraphValue): GraphValue {
    return this.elementwise('Div', a, b);
  }
  maximum(a: GraphValue, b: GraphValue): GraphValue {
    return this.elementwise('Max', a, b);
  }
  private elementwise(operator: string, a: GraphValue, b: GraphValue): GraphValue {
    return this.add_(operator, [a, b], broadcastShapes(a.shape, b.shape));
  }

  relu(x: GraphValue): GraphValue {
    return this.add_('Relu', [x], x.shape);
  }
  exp(x: GraphValue): GraphValue {
    return this.add_('Exp', [x], x.shape);
  }
  log(x: GraphValue): GraphValue {
    return this.add_('Log', [x], x.shape);
  }
  sqrt(x: GraphValue): GraphValue {
    return this.add_('Sqrt', [x], x.shape);
  }
  negate(x: GraphValue): GraphValue {
    return this.add_('Neg', [x], x.shape);
  }
  /** sign(x) |x|^exponent: a power that features of either sign survive. No gradient rule: it stands before training. */
  signedPower(x: GraphValue, exponent: number): GraphValue {
    if (exponent === 1) return x;
    const size = this.add_('Pow', [this.add_('Abs', [x], x.shape), this.scalar(exponent)], x.shape);
    return this.multiply(this.add_('Sign', [x], x.shape), size);
  }
  /** `value` where `gate` is above zero, else 0: the gradient of relu. */
  whereAboveZero(gate: GraphValue, value: GraphValue): GraphValue {
    const above: GraphValue = { name: this.fresh('Greater'), type: 'bool', shape: gate.shape };
    this.nodes.push({
      operator: 'Greater',
      inputs: [gate, this.scalar(0)],
      outputs: [above],
      attributes: {},
    });
    return this.add_('Where', [above, value, this.scalar(0)], value.shape);
  }
  /** Along the last axis. */
  softmax(x: GraphValue): GraphValue {
    return this.add_('Softmax', [x], x.shape, { axis: { int: -1 } });
  }
  logSoftmax(x: GraphValue): GraphValue {
    return this.add_('LogSoftmax', [x], x.shape, { axis: { int: -1 } });
  }

  /** Sums over the axes named and keeps them with size 1. */
  sum(x: GraphValue, axes: readonly number[]): GraphValue {
    return this.add_('ReduceSum', [x, this.integers(axes)], reducedShape(x.shape, axes), {
      keepdims: { int: 1 },
    });
  }
  mean(x: GraphValue, axes: readonly number[]): GraphValue {
    return this.add_('ReduceMean', [x, this.integers(axes)], reducedShape(x.shape, axes), {
      keepdims: { int: 1 },
    });
  }
  max(x: GraphValue, axes: readonly number[]): GraphValue {
    return this.add_('ReduceMax', [x, this.integers(axes)], reducedShape(x.shape, axes), {
      keepdims: { int: 1 },
    });
  }

  concatenate(parts: readonly GraphValue[], axis: number): GraphValue {
    const sizes = parts.map((part) => part.shape[axis]);
    const total = sizes.every((size) => typeof size === 'number')
      ? sizes.reduce((sum, size) => sum + size, 0)
      : sizes.join('+');
    const shape = parts[0].shape.map((size, position) => (position === axis ? total : size));
    return this.add_('Concat', parts, shape, { axis: { int: axis } });
  }

  slice(x: GraphValue, axis: number, start: number, end: number): GraphValue {
    const bounds = [[start], [end], [axis]].map((values) => this.integers(values));
    const shape = x.shape.map((size, position) => (position === axis ? end - start : size));
    const output: GraphValue = { name: this.fresh('Slice'), type: 'float32', shape };
    const range = { axis, start, end };
    this.nodes.push({ operator: 'Slice', inputs: [x, ...bounds], outputs: [output], attributes: {}, range });
    return output;
  }

  reshape(x: GraphValue, shape: readonly number[]): GraphValue {
    return this.add_('Reshape', [x, this.integers(shape)], shape);
  }

  expand(x: GraphValue, shape: readonly number[]): GraphValue {
    return this.add_('Expand', [x, this.integers(shape)], shape);
  }

  /** x (N, C, H, W), weight (F, C, kh, kw), bias (F). Forward only, as everything about pictures here. */
  convolve(x: GraphValue, weight: GraphValue, bias: GraphValue, window: Omit<Window, 'kernel'>): GraphValue {
    const [filters, channels, ...kernel] = weight.shape as [number, number, number, number];
    if (x.shape.length !== 4 || x.shape[1] !== channels)
      throw new RangeError(`cannot convolve ${showShape(x.shape)} with ${showShape(weight.shape)}`);
    const full = { ...window, kernel };
    return this.add_(
      'Conv',
      [x, weight, bias],
      [x.shape[0], filters, ...sizeAfterWindow(x.shape, full)],
      windowed(full),
    );
  }

  /** Padding counts as minus infinity. */
  maxPool(x: GraphValue, window: Window): GraphValue {
    return this.add_(
      'MaxPool',
      [x],
      [x.shape[0], x.shape[1], ...sizeAfterWindow(x.shape, window)],
      windowed(window),
    );
  }

  /** (N, C, H, W) to (N, C, 1, 1). */
  globalAveragePool(x: GraphValue): GraphValue {
    return this.add_('GlobalAveragePool', [x], [x.shape[0], x.shape[1], 1, 1]);
  }

  /** Zeros around a picture, in ONNX's order: top, left, bottom, right. */
  padPicture(x: GraphValue, pads: Pads): GraphValue {
    const [top, left, bottom, right] = pads;
    const [batch, channels, height, width] = x.shape as [Dimension, Dimension, number, number];
    const shape = [batch, channels, height + top + bottom, width + left + right];
    return this.add_('Pad', [x, this.integers([0, 0, top, left, 0, 0, bottom, right])], shape);
  }

  /** (N, …) to (N, product of the rest). */
  flatten(x: GraphValue): GraphValue {
    return this.add_('Flatten', [x], [x.shape[0], sizeOf(x.shape.slice(1))], { axis: { int: 1 } });
  }

  /** Runs one branch only. Both see the values of this graph, and no gradient flows through it. */
  choose(
    condition: GraphValue,
    then: (inside: Graph) => GraphValue,
    otherwise: (inside: Graph) => GraphValue,
  ): GraphValue {
    const branches = [then, otherwise].map((build, index) => {
      const inside = new Graph(`branch${index}`, `${this.fresh('If')}${index}.`);
      const result = inside.own(build(inside));
      return { graph: inside.content([result]), result };
    });
    return this.add_('If', [condition], branches[0].result.shape, {
      then_branch: { graph: branches[0].graph },
      else_branch: { graph: branches[1].graph },
    });
  }

  /**
   * Runs a body once for each slice of the sequences along their first axis, in order. States pass from one run to
   * the next; what the body collects is stacked along a new first axis.
   */
  scan(
    states: readonly GraphValue[],
    sequences: readonly GraphValue[],
    length: number,
    build: (
      inside: Graph,
      states: GraphValue[],
      slices: GraphValue[],
    ) => { states: GraphValue[]; collected: GraphValue[] },
  ): { states: GraphValue[]; collected: GraphValue[] } {
    const inside = new Graph('body', `${this.fresh('Scan')}.`);
    const innerStates = states.map((state, i) => inside.input(`state${i}`, state.shape, state.type));
    const slices = sequences.map((item, i) => inside.input(`slice${i}`, item.shape.slice(1), item.type));
    const built = build(inside, innerStates, slices);
    const result = {
      states: built.states.map((value) => inside.own(value)),
      collected: built.collected.map((value) => inside.own(value)),
    };
    const outputs = [
      ...states.map((state) => ({ name: this.fresh('state'), type: state.type, shape: state.shape })),
      ...result.collected.map((item) => ({
        name: this.fresh('collected'),
        type: item.type,
        shape: [length, ...item.shape],
      })),
    ];
    this.nodes.push({
      operator: 'Scan',
      inputs: [...states, ...sequences],
      outputs,
      attributes: {
        num_scan_inputs: { int: sequences.length },
        body: { graph: inside.content([...result.states, ...result.collected]) },
      },
    });
    return { states: outputs.slice(0, states.length), collected: outputs.slice(states.length) };
  }

  /** The whole model as an ONNX file. Outputs take the names given; an Identity to rename one would be a copy. */
  encode(outputs: Readonly<Record<string, GraphValue>>): Uint8Array {
    const names = new Map(Object.entries(outputs).map(([name, value]) => [value.name, name]));
    if (names.size !== Object.keys(outputs).length) throw new RangeError('one value cannot be two outputs');
    return encodeModel(this.content(Object.values(outputs), names));
  }

  private content(outputs: readonly GraphValue[], names = new Map<string, string>()): GraphContent {
    const renamed = renamer(names);
    return {
      name: this.name,
      nodes: this.nodes.map((node) => renamed.node(node)),
      inputs: this.inputs,
      outputs: outputs.map((value) => ({ ...value, name: names.get(value.name) ?? value.name })),
      constants: this.constants,
    };
  }

  /** A body may only answer what it computes itself: an outer value, or one of its inputs, is copied in. */
  private own(value: GraphValue): GraphValue {
    const computed = this.nodes.some((node) => node.outputs.includes(value));
    return computed ? value : this.add_('Identity', [value], value.shape);
  }

  private add_(
    operator: string,
    inputs: readonly GraphValue[],
    shape: readonly Dimension[],
    attributes: Readonly<Record<string, AttributeValue>> = {},
  ): GraphValue {
    const output: GraphValue = { name: this.fresh(operator), type: 'float32', shape };
    this.nodes.push({ operator, inputs, outputs: [output], attributes });
    return output;
  }

  private constantBytes(type: ElementType, shape: readonly number[], bytes: Uint8Array): GraphValue {
    const value = { name: this.fresh('constant'), type, shape };
    this.constants.push({ ...value, bytes });
    return value;
  }

  private fresh(operator: string): string {
    return `${this.prefix}${operator}${this.count++}`;
  }
}

/** Height and width after a kernel has slid over (N, C, H, W). */
function sizeAfterWindow(
  shape: readonly Dimension[],
  { kernel, strides, dilations = [1, 1], pads }: Window,
): number[] {
  return [0, 1].map((axis) => {
    const size = (shape[axis + 2] as number) + pads[axis] + pads[axis + 2];
    const reach = dilations[axis] * (kernel[axis] - 1) + 1;
    if (size < reach) throw new RangeError(`a kernel of ${reach} does not fit into ${showShape(shape)}`);
    return Math.floor((size - reach) / strides[axis]) + 1;
  });
}

function windowed({ kernel, strides, dilations = [1, 1], pads }: Window): Record<string, AttributeValue> {
  return {
    kernel_shape: { ints: kernel },
    strides: { ints: strides },
    dilations: { ints: dilations },
    pads: { ints: pads },
  };
}

/** Gives values their output names wherever a node, or a node inside a body, mentions them. */
function renamer(names: ReadonlyMap<string, string>) {
  const name = (old: string): string => names.get(old) ?? old;
  const attribute = (value: AttributeValue): AttributeValue =>
    'graph' in value ? { graph: { ...value.graph, nodes: value.graph.nodes.map(content) } } : value;
  const content = (node: NodeContent): NodeContent => ({
    operator: node.operator,
    inputs: node.inputs.map(name),
    outputs: node.outputs.map(name),
    attributes: Object.fromEntries(
      Object.entries(node.attributes).map(([key, value]) => [key, attribute(value)]),
    ),
  });
  const node = (built: GraphNode): NodeContent =>
    content({
      ...built,
      inputs: built.inputs.map((value) => value.name),
      outputs: built.outputs.map((value) => value.name),
    });
  return { node };
}
