/**
 * Reads as much of an ONNX file as it takes to find a layer in it and to change its graph, and writes it again. All other
 * fields are copied byte for byte. Field numbers are those of onnx.proto.
 */
import { PbfReader, PbfWriter } from 'pbf';

/** Only the kinds of content that somebody asks for. */
interface OnnxAttribute {
  readonly float?: number;
  readonly integer?: number;
  readonly integers: readonly number[];
  /** A TensorProto, as the value of a Constant has it. */
  readonly tensor?: Uint8Array;
}

export interface OnnxNode {
  readonly raw: Uint8Array;
  readonly name: string;
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, OnnxAttribute>;
  /** It holds graphs of its own, which may read any value of this one. */
  readonly hasBody: boolean;
}

export interface OnnxConstant {
  readonly raw: Uint8Array;
  readonly name: string;
  readonly shape: readonly number[];
  /** Its values are in another file. */
  readonly isElsewhere: boolean;
}

export interface OnnxValue {
  readonly raw: Uint8Array;
  readonly name: string;
  readonly elementType: number;
  /** null for a size that is only known at run time; no shape where the file has none. */
  readonly shape: readonly (number | null)[] | null;
}

export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly constants: readonly OnnxConstant[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  readonly rest: readonly RawField[];
}

export interface OnnxFile {
  readonly graph: OnnxGraph;
  readonly rest: readonly RawField[];
}

export type RawField = readonly [tag: number, content: Uint8Array | number];

const varint = 0;
const lengthDelimited = 2;
const floatElements = 1;

/** Throws the reader's own error on bytes that are not an ONNX file; null when the file has no graph. */
export function readOnnx(bytes: Uint8Array): OnnxFile | null {
  const rest: RawField[] = [];
  const graphs: Uint8Array[] = [];
  eachField(bytes, (tag, reader) => {
    if (tag === 7 && reader.type === lengthDelimited) graphs.push(reader.readBytes());
    else copyField(tag, reader, rest);
  });
  return graphs.length === 1 ? { graph: readGraph(graphs[0]), rest } : null;
}

function readGraph(bytes: Uint8Array): OnnxGraph {
  const graph = {
    nodes: [] as OnnxNode[],
    constants: [] as OnnxConstant[],
    inputs: [] as OnnxValue[],
    outputs: [] as OnnxValue[],
    rest: [] as RawField[],
  };
  eachField(bytes, (tag, reader) => {
    if (tag === 1) graph.nodes.push(readNode(reader.readBytes()));
    else if (tag === 5) graph.constants.push(readConstant(reader.readBytes()));
    else if (tag === 11) graph.inputs.push(readValue(reader.readBytes()));
    else if (tag === 12) graph.outputs.push(readValue(reader.readBytes()));
    else copyField(tag, reader, graph.rest);
  });
  return graph;
}

export function readNode(raw: Uint8Array): OnnxNode {
  const [inputs, outputs]: [string[], string[]] = [[], []];
  const attributes = new Map<string, OnnxAttribute>();
  let [name, operator, hasBody] = ['', '', false];
  eachField(raw, (tag, reader) => {
    if (tag === 1) inputs.push(reader.readString());
    else if (tag === 2) outputs.push(reader.readString());
    else if (tag === 3) name = reader.readString();
    else if (tag === 4) operator = reader.readString();
    else if (tag === 5) {
      const { name: key, isGraph, ...content } = readAttribute(reader.readBytes());
      attributes.set(key, content);
      hasBody ||= isGraph;
    }
  });
  return { raw, name, operator, inputs, outputs, attributes, hasBody };
}

function readAttribute(raw: Uint8Array): OnnxAttribute & { name: string; isGraph: boolean } {
  const integers: number[] = [];
  let [name, isGraph] = ['', false];
  let found: Omit<OnnxAttribute, 'integers'> = {};
  eachField(raw, (tag, reader) => {
    if (tag === 1) name = reader.readString();
    else if (tag === 2) found = { float: reader.readFloat() };
    else if (tag === 3) found = { integer: reader.readVarint(true) };
    else if (tag === 5) found = { tensor: reader.readBytes() };
    else if (tag === 8) reader.readPackedVarint(integers, true);
    else if (tag === 6 || tag === 11) isGraph = true;
  });
  return { ...found, name, integers, isGraph };
}

export function readConstant(raw: Uint8Array): OnnxConstant {
  const shape: number[] = [];
  let [name, isElsewhere] = ['', false];
  eachField(raw, (tag, reader) => {
    if (tag === 1) reader.readPackedVarint(shape, true);
    else if (tag === 8) name = reader.readString();
    else if (tag === 14) isElsewhere = reader.readVarint() === 1;
  });
  return { raw, name, shape, isElsewhere };
}

function readValue(raw: Uint8Array): OnnxValue {
  let [name, elementType] = ['', 0];
  let shape: (number | null)[] | null = null;
  const readDimension = (bytes: Uint8Array): number | null => {
    let size = 0;
    eachField(bytes, (tag, reader) => {
      if (tag === 1) size = reader.readVarint(true);
    });
    return size > 0 ? size : null; // a name, or nothing; some exporters write 0 or -1 for "any"
  };
  const within = (bytes: Uint8Array, wanted: number, read: (inner: Uint8Array) => void): void => {
    eachField(bytes, (tag, reader) => {
      if (tag === wanted) read(reader.readBytes());
    });
  };
  eachField(raw, (tag, reader) => {
    if (tag === 1) name = reader.readString();
    else if (tag === 2)
      within(reader.readBytes(), 1, (tensor) => {
        eachField(tensor, (field, inner) => {
          if (field === 1) elementType = inner.readVarint();
          else if (field === 2) {
            const sizes: (number | null)[] = [];
            within(inner.readBytes(), 1, (dimension) => sizes.push(readDimension(dimension)));
            shape = sizes;
          }
        });
      });
  });
  return { raw, name, elementType, shape };
}

interface FeatureOutput {
  /** The value to read. */
  readonly from: string;
  /** What the output is called. */
  readonly name: string;
  /** Answer the value itself too, in its own shape. */
  readonly alsoAsItIs: boolean;
}

/** The graph with one output: the value flattened to one row per picture. Nodes that it does not need are removed. */
export function withFeatureOutput({ graph, rest }: OnnxFile, output: FeatureOutput): Uint8Array {
  const kept = graph.nodes.some((node) => node.hasBody) ? graph : pruned(graph, output.from);
  const flatten = readNode(encoded(writeFlatten, output));
  const outputs = [output.name, ...(output.alsoAsItIs ? [output.from] : [])].map(floatOutput);
  return encodeOnnx({ graph: { ...kept, nodes: [...kept.nodes, flatten], outputs }, rest });
}

export function encodeOnnx({ graph, rest }: OnnxFile): Uint8Array {
  const writer = new PbfWriter();
  for (const field of rest) writeField(field, writer);
  writer.writeMessage(7, writeGraph, graph);
  return writer.finish();
}

function writeGraph(graph: OnnxGraph, writer: PbfWriter): void {
  for (const node of graph.nodes) writer.writeBytesField(1, node.raw);
  for (const constant of graph.constants) writer.writeBytesField(5, constant.raw);
  for (const input of graph.inputs) writer.writeBytesField(11, input.raw);
  for (const output of graph.outputs) writer.writeBytesField(12, output.raw);
  for (const field of graph.rest) writeField(field, writer);
}

/** The node with other inputs or outputs; all else about it stays. */
export function rewired({ raw }: OnnxNode, inputs: readonly string[], outputs: readonly string[]): OnnxNode {
  const writer = new PbfWriter();
  for (const name of inputs) writer.writeStringField(1, name);
  for (const name of outputs) writer.writeStringField(2, name);
  const rest: RawField[] = [];
  eachField(raw, (tag, reader) => {
    if (tag > 2) copyField(tag, reader, rest); // a field that nobody reads is skipped by the reader itself
  });
  for (const field of rest) writeField(field, writer);
  return readNode(writer.finish());
}

export function withoutAttribute(node: OnnxNode, name: string): OnnxNode {
  if (!node.attributes.has(name)) return node;
  const writer = new PbfWriter();
  eachField(node.raw, (tag, reader) => {
    const field: RawField[] = [];
    copyField(tag, reader, field);
    const [[, content]] = field;
    if (tag === 5 && typeof content !== 'number' && readAttribute(content).name === name) return;
    writeField(field[0], writer);
  });
  return readNode(writer.finish());
}

/** Flatten's default axis is 1. */
function writeFlatten({ from, name }: FeatureOutput, writer: PbfWriter): void {
  writer.writeStringField(1, from);
  writer.writeStringField(2, name);
  writer.writeStringField(3, 'unseen-features');
  writer.writeStringField(4, 'Flatten');
}

/** An output of floats whose shape the runtime infers. */
export function floatOutput(name: string): OnnxValue {
  return readValue(encoded(writeFloatOutput, name));
}

export function encoded<T>(write: (value: T, writer: PbfWriter) => void, value: T): Uint8Array {
  const writer = new PbfWriter();
  write(value, writer);
  return writer.finish();
}

function writeFloatOutput(name: string, writer: PbfWriter): void {
  writer.writeStringField(1, name);
  writer.writeMessage(2, writeFloatType, null);
}

function writeFloatType(_: null, writer: PbfWriter): void {
  writer.writeMessage(1, writeFloatTensor, null);
}

function writeFloatTensor(_: null, writer: PbfWriter): void {
  writer.writeVarintField(1, floatElements);
}

function pruned(graph: OnnxGraph, wanted: string): OnnxGraph {
  const needed = new Set([wanted]);
  const nodes = graph.nodes.toReversed().filter((node) => {
    const isNeeded = node.outputs.some((name) => needed.has(name));
    if (isNeeded) for (const name of node.inputs) needed.add(name);
    return isNeeded;
  });
  const constantNames = new Set(graph.constants.map(({ name }) => name));
  return {
    ...graph,
    nodes: nodes.reverse(),
    constants: graph.constants.filter(({ name }) => needed.has(name)),
    // Files of IR version 3 list their constants among the inputs as well.
    inputs: graph.inputs.filter(({ name }) => needed.has(name) || !constantNames.has(name)),
  };
}

export function eachField(bytes: Uint8Array, read: (tag: number, reader: PbfReader) => void): void {
  const reader = new PbfReader(bytes);
  reader.readFields((tag) => {
    read(tag, reader);
    if (reader.pos > bytes.length) throw new RangeError('the file is cut off'); // the reader itself does not check
  }, null);
}

function copyField(tag: number, reader: PbfReader, into: RawField[]): void {
  if (reader.type === lengthDelimited) into.push([tag, reader.readBytes()]);
  else if (reader.type === varint) into.push([tag, reader.readVarint(true)]);
  else throw new RangeError(`field ${tag} has wire type ${reader.type}, which ONNX does not use here`);
}

function writeField([tag, content]: RawField, writer: PbfWriter): void {
  if (typeof content === 'number') writer.writeVarintField(tag, content);
  else writer.writeBytesField(tag, content);
}
