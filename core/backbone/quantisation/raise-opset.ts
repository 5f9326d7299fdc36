/**
 * Integer arithmetic came with version 10 of ONNX, and older networks are common: those of the ONNX Model Zoo are written in 7 or 8. Their
 * version is raised in the file; nearly every operator means the same in all of these.
 */
import { Failure } from '../../failures.js';
import { writeOpset } from '../../compute/onnx-format.js';
import { encoded, withoutAttribute, type OnnxFile } from '../onnx-file.js';
import { cannotQuantise, isOwnOpset, networkOf, type Network } from './network.js';

const firstOpsetOfIntegers = 10;
/** Before, sums and products broadcast in another way. */
const oldestOpset = 7;
/** What they take, or how, is different in 10. */
const changed = new Set(['Slice', 'TopK', 'Upsample']);
const opsetField = 8;
const advice = 'Convert the network with onnx.version_converter, and add it again';

export function withIntegerOperators(network: Network): Network {
  const { opset, file } = network;
  if (opset >= firstOpsetOfIntegers) return network;
  if (opset < oldestOpset)
    throw new Failure(
      'backbone-invalid',
      `It cannot be quantised: it is written in version ${opset} of ONNX, and integers need ${firstOpsetOfIntegers}. ${advice}.`,
    );
  const nodes = network.nodes.map((node) => {
    const isPerPixel = node.attributes.get('spatial')?.integer === 0;
    if (changed.has(node.operator) || isPerPixel)
      throw cannotQuantise(
        node.operator,
        `it means something else in version ${opset} of ONNX, in which the network is written, than in ${firstOpsetOfIntegers}, which integers need. ${advice}`,
      );
    return node.operator === 'BatchNormalization' ? withoutAttribute(node, 'spatial') : node;
  });
  const version = encoded(writeOpset, { domain: '', version: firstOpsetOfIntegers });
  const rest: OnnxFile['rest'] = [
    ...file.rest.filter((field) => !(field[0] === opsetField && isOwnOpset(field))),
    [opsetField, version],
  ];
  return networkOf({ graph: { ...file.graph, nodes }, rest });
}
