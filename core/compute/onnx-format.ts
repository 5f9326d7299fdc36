/**
 * Writes the ONNX file format: the few protocol-buffer messages that our graphs use. Field numbers are those of
 * onnx.proto (IR version 8); a message type that nothing here produces is left out.
 */
import { PbfWriter } from 'pbf';

const elementTypes = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, bool: 9, float16: 10 } as const;
export type ElementType = keyof typeof elementTypes;

/** A number, or a name for a size that is known only when the graph runs, such as the batch. */
export type Dimension = number | string;

interface ValueDescription {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly Dimension[];
}

export interface TensorContent {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array; // little-endian values
}

export type AttributeValue =
  | { readonly float: number }
  | { readonly int: number }
  | { readonly ints: readonly number[] }
  | { readonly graph: GraphContent };

export interface NodeContent {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Left out: the operators of ONNX itself. */
  readonly domain?: string;
}

export interface GraphContent {
  readonly name: string;
  readonly nodes: readonly NodeContent[];
  readonly inputs: readonly ValueDescription[];
  readonly outputs: readonly ValueDescription[];
  readonly constants: readonly TensorContent[];
}

const irVersion = 8;
/** Opset 18: the first in which ReduceSum and its kin all take their axes as an input. */
const opsetVersion = 18;

export function encodeModel(graph: GraphContent): Uint8Array {
  const writer = new PbfWriter();
  writer.writeVarintField(1, irVersion);
  writer.writeStringField(2, 'unseen');
  writer.writeMessage(7, writeGraph, graph);
  writer.writeMessage(8, writeOpset, { domain: '', version: opsetVersion });
  return writer.finish();
}

export function writeOpset(
  { domain, version }: { readonly domain: string; readonly version: number },
  writer: PbfWriter,
): void {
  writer.writeStringField(1, domain);
  writer.writeVarintField(2, version);
}

function writeGraph(graph: GraphContent, writer: PbfWriter): void {
  for (const node of graph.nodes) writer.writeMessage(1, writeNode, node);
  writer.writeStringField(2, graph.name);
  for (const constant of graph.constants) writer.writeMessage(5, writeTensor, constant);
  for (const input of graph.inputs) writer.writeMessage(11, writeValue, input);
  for (const output of graph.outputs) writer.writeMessage(12, writeValue, output);
}

export function writeNode(node: NodeContent, writer: PbfWriter): void {
  for (const name of node.inputs) writer.writeStringField(1, name);
  for (const name of node.outputs) writer.writeStringField(2, name);
  writer.writeStringField(4, node.operator);
  for (const attribute of Object.entries(node.attributes)) writer.writeMessage(5, writeAttribute, attribute);
  if (node.domain !== undefined) writer.writeStringField(7, node.domain);
}

function writeAttribute([name, value]: [string, AttributeValue], writer: PbfWriter): void {
  writer.writeStringField(1, name);
  if ('float' in value) {
    writer.writeFloatField(2, value.float);
    writer.writeVarintField(20, 1);
  } else if ('int' in value) {
    writer.writeVarintField(3, value.int);
    writer.writeVarintField(20, 2);
  } else if ('graph' in value) {
    writer.writeMessage(6, writeGraph, value.graph);
    writer.writeVarintField(20, 5);
  } else {
    for (const item of value.ints) writer.writeVarintField(8, item);
    writer.writeVarintField(20, 7);
  }
}

export function writeTensor(tensor: TensorContent, writer: PbfWriter): void {
  for (const size of tensor.shape) writer.writeVarintField(1, size);
  writer.writeVarintField(2, elementTypes[tensor.type]);
  writer.writeStringField(8, tensor.name);
  writer.writeBytesField(9, tensor.bytes);
}

function writeValue(value: ValueDescription, writer: PbfWriter): void {
  writer.writeStringField(1, value.name);
  writer.writeMessage(2, writeTensorType, value);
}

/** TypeProto { tensor_type: { elem_type, shape } } */
function writeTensorType(value: ValueDescription, writer: PbfWriter): void {
  writer.writeMessage(1, writeElementAndShape, value);
}

function writeElementAndShape(value: ValueDescription, writer: PbfWriter): void {
  writer.writeVarintField(1, elementTypes[value.type]);
  writer.writeMessage(2, writeShape, value.shape);
}

function writeShape(shape: readonly Dimension[], writer: PbfWriter): void {
  for (const size of shape) writer.writeMessage(1, writeDimension, size);
}

function writeDimension(size: Dimension, writer: PbfWriter): void {
  if (typeof size === 'number') writer.writeVarintField(1, size);
  else writer.writeStringField(2, size);
}
