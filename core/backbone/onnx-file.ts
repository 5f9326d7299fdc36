/**
 * Reads as much of an ONNX file as it takes to find a layer in it, and writes it again with other outputs. All other
 * fields are copied byte for byte. Field numbers are those of onnx.proto.
 */
import { PbfReader, PbfWriter } from 'pbf';

interface OnnxNode {
  readonly raw: Uint8Array;
  readonly name: string;
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** The attribute "axes", where it has one. */
  readonly axes: readonly number[] | null;
  /** It holds graphs of its own, which may read any value of this one. */
  readonly hasBody: boolean;
}

interface OnnxConstant {
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

type RawField = readonly [tag: number, content: Uint8Array | number];

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

function readNode(raw: Uint8Array): OnnxNode {
  const [inputs, outputs]: [string[], string[]] = [[], []];
  let [name, operator, hasBody] = ['', '', false];
  let axes: number[] | null = null;
  eachField(raw, (tag, reader) => {
    if (tag === 1) inputs.push(reader.readString());
    else if (tag === 2) outputs.push(reader.readString());
    else if (tag === 3) name = reader.readString();
    else if (tag === 4) operator = reader.readString();
    else if (tag === 5) {
      const attribute = readAttribute(reader.readBytes());
      if (attribute.name === 'axes') axes = attribute.integers;
      hasBody ||= attribute.isGraph;
    }
  });
  return { raw, name, operator, inputs, outputs, axes, hasBody };
}

function readAttribute(raw: Uint8Array): { name: string; integers: number[]; isGraph: boolean } {
  const integers: number[] = [];
  let [name, isGraph] = ['', false];
  eachField(raw, (tag, reader) => {
    if (tag === 1) name = reader.readString();
    else if (tag === 8) reader.readPackedVarint(integers, true);
    else if (tag === 6 || tag === 11) isGraph = true;
  });
  return { name, integers, isGraph };
}

function readConstant(raw: Uint8Array): OnnxConstant {
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
  const writer = new PbfWriter();
  for (const field of rest) writeField(field, writer);
  writer.writeMessage(7, writeGraph, { ...kept, output });
  return writer.finish();
}

function writeGraph({ output, ...graph }: OnnxGraph & { output: FeatureOutput }, writer: PbfWriter): void {
  for (const node of graph.nodes) writer.writeBytesField(1, node.raw);
  writer.writeMessage(1, writeFlatten, output);
  for (const constant of graph.constants) writer.writeBytesField(5, constant.raw);
  for (const input of graph.inputs) writer.writeBytesField(11, input.raw);
  writer.writeMessage(12, writeFloatOutput, output.name);
  if (output.alsoAsItIs) writer.writeMessage(12, writeFloatOutput, output.from);
  for (const field of graph.rest) writeField(field, writer);
}

/** Flatten's default axis is 1. */
function writeFlatten({ from, name }: FeatureOutput, writer: PbfWriter): void {
  writer.writeStringField(1, from);
  writer.writeStringField(2, name);
  writer.writeStringField(3, 'unseen-features');
  writer.writeStringField(4, 'Flatten');
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

function eachField(bytes: Uint8Array, read: (tag: number, reader: PbfReader) => void): void {
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
