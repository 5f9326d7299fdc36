/** An ONNX network as the quantiser sees it: nodes in the order of the file, and float constants by name. */
import { Failure } from '../../failures.js';
import {
  eachField,
  readConstant,
  readOnnx,
  type OnnxFile,
  type OnnxNode,
  type RawField,
} from '../onnx-file.js';
import { readFloats, type FloatTensor } from '../onnx-tensor.js';

export interface Network {
  readonly file: OnnxFile;
  readonly nodes: readonly OnnxNode[];
  /** Which nodes read a value; the outputs of the graph are not among them. */
  readonly readers: ReadonlyMap<string, readonly OnnxNode[]>;
  readonly outputs: ReadonlySet<string>;
  readonly opset: number;
  /** The values of a constant, wherever the file keeps it; null where it is computed, or no float32. */
  floats(name: string): FloatTensor | null;
}

/** A graph with one of these was quantised by its maker. */
const integerOperators = new Set([
  'QuantizeLinear',
  'DequantizeLinear',
  'DynamicQuantizeLinear',
  'QLinearConv',
  'ConvInteger',
]);

export function readNetwork(model: Uint8Array): Network {
  const file = readOnnx(model);
  if (!file) throw new Failure('backbone-invalid', 'This is no ONNX file: there is no graph in it.');
  for (const { operator, hasBody } of file.graph.nodes) {
    if (hasBody) throw cannotQuantise(operator, 'it runs a graph of its own');
    if (integerOperators.has(operator)) throw cannotQuantise(operator, 'the network is quantised already');
  }
  return networkOf(file);
}

export function networkOf(file: OnnxFile): Network {
  const { nodes, constants, outputs } = file.graph;
  const readers = new Map<string, OnnxNode[]>();
  for (const node of nodes)
    for (const name of new Set(node.inputs)) readers.set(name, [...(readers.get(name) ?? []), node]);
  const known = new Map(constants.map((constant) => [constant.name, constant]));
  for (const { operator, inputs, outputs, attributes } of nodes) {
    const tensor = operator === 'Constant' ? attributes.get('value')?.tensor : undefined;
    if (tensor) known.set(outputs[0], readConstant(tensor));
    // Exporters of PyTorch write parameters that several layers share once, and the others as copies of it.
    const original = operator === 'Identity' ? known.get(inputs[0]) : undefined;
    if (original) known.set(outputs[0], original);
  }
  return {
    file,
    nodes,
    readers,
    outputs: new Set(outputs.map(({ name }) => name)),
    opset: opsetOf(file),
    floats: (name) => {
      const constant = known.get(name);
      return constant ? readFloats(constant) : null;
    },
  };
}

/** The value that the only reader of `name` makes of it, when that reader is `operator`. */
export function soleReader(network: Network, name: string, operator: string): OnnxNode | null {
  const readers = network.readers.get(name) ?? [];
  if (readers.length !== 1 || network.outputs.has(name)) return null;
  const [reader] = readers;
  return reader.operator === operator && reader.inputs[0] === name ? reader : null;
}

export function cannotQuantise(operator: string, reason: string): Failure {
  return new Failure(
    'backbone-invalid',
    `It cannot be quantised because of its operator ${operator}: ${reason}.`,
  );
}

/** Of ONNX's own operators. */
function opsetOf({ rest }: OnnxFile): number {
  const own = rest.findLast(isOwnOpset);
  return own ? readOpset(own).version : 1;
}

/** Whether a field of the file says which version of ONNX's own operators it uses. */
export function isOwnOpset(field: RawField): boolean {
  return field[0] === 8 && ['', 'ai.onnx'].includes(readOpset(field).domain);
}

function readOpset([, content]: RawField): { readonly domain: string; readonly version: number } {
  let [domain, version] = ['', 1];
  if (typeof content === 'number') return { domain, version };
  eachField(content, (tag, reader) => {
    if (tag === 1) domain = reader.readString();
    else if (tag === 2) version = reader.readVarint();
  });
  return { domain, version };
}
