import { writeOpset } from '../../compute/onnx-format.js';
import { encoded, encodeOnnx, type OnnxConstant, type OnnxNode } from '../onnx-file.js';
import type { Network } from './network.js';

const opsetField = 8;
const valueShapesField = 13;
const metadataField = 14;

interface Rewritten {
  readonly nodes: readonly OnnxNode[];
  /** Those that the network did not have before. */
  readonly constants: readonly OnnxConstant[];
  /** Goes into the file, so that its hash covers it. */
  readonly metadata: Readonly<Record<string, string>>;
  /** A set of operators besides those of ONNX itself. */
  readonly domain?: string;
}

/** The network's file with other nodes; what nobody reads any more is left out. */
export function encodeRewritten({ file: { graph, rest } }: Network, rewritten: Rewritten): Uint8Array {
  const { nodes, constants, metadata, domain } = rewritten;
  const read = new Set(graph.outputs.map(({ name }) => name));
  const kept = nodes.toReversed().filter(({ inputs, outputs }) => {
    const isNeeded = outputs.some((name) => read.has(name));
    if (isNeeded) for (const name of inputs) read.add(name);
    return isNeeded;
  });
  const isRead = ({ name }: { readonly name: string }): boolean => read.has(name);
  const wasConstant = new Set(graph.constants.map(({ name }) => name));
  return encodeOnnx({
    graph: {
      ...graph,
      nodes: kept.reverse(),
      constants: [...graph.constants.filter(isRead), ...constants],
      // Files of IR version 3 list their constants among the inputs as well.
      inputs: graph.inputs.filter((input) => isRead(input) || !wasConstant.has(input.name)),
      rest: graph.rest.filter(([field]) => field !== valueShapesField), // of values that may be gone
    },
    rest: [
      ...rest,
      ...(domain === undefined ? [] : [[opsetField, encoded(writeOpset, { domain, version: 1 })] as const]),
      ...Object.entries(metadata).map((entry) => [metadataField, encoded(writeEntry, entry)] as const),
    ],
  });
}

/** StringStringEntryProto */
function writeEntry(
  [key, value]: [string, string],
  writer: { writeStringField(tag: number, text: string): void },
): void {
  writer.writeStringField(1, key);
  writer.writeStringField(2, value);
}
