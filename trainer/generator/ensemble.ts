/**
 * Several generators trained from different seeds, merged into one. Where outputs are linear, the mean of E networks is
 * a network: hidden layers side by side, output weights one under another and divided by E. What the members agree on
 * stays, and the errors of single members average out; the rest of the pipeline sees one network.
 *
 *   g(a, z) = 1/E sum_e g_e(a, z)
 *
 * For outputs with a ReLU (features that are never negative) the mean is taken before the ReLU.
 */
import { matrix, stackRows, type Matrix } from '../../core/matrix.js';
import type { TrainedNetworks } from './networks.js';

export function mergeGenerators(members: readonly TrainedNetworks[]): TrainedNetworks {
  const [first] = members;
  if (members.length === 1) return first;
  const { sizes } = first;
  const share = 1 / members.length;
  const partsOf = (name: string, rows: number, columns: number): Matrix[] =>
    members.map(({ weights }) => matrix(rows, columns, weights[name]));
  const output = stackRows(partsOf('generator.weight', sizes.hidden, sizes.features)).data;
  const bias = new Float32Array(sizes.features);
  for (const { weights } of members)
    weights['generator.bias'].forEach((value, k) => (bias[k] += value * share));
  return {
    sizes: { ...sizes, hidden: sizes.hidden * members.length },
    weights: {
      ...first.weights, // the predictor is the first member's
      'generator.attributes': sideBySide(partsOf('generator.attributes', sizes.attributes, sizes.hidden)),
      'generator.noise': sideBySide(partsOf('generator.noise', sizes.noise, sizes.hidden)),
      'generator.hidden': sideBySide(partsOf('generator.hidden', 1, sizes.hidden)),
      'generator.weight': output.map((value) => value * share),
      'generator.bias': bias,
    },
  };
}

/** m(a) + share * r([a; z]): how much of what the network learnt is added to the closed form. */
export function withShare(networks: TrainedNetworks, share: number): TrainedNetworks {
  if (share === 1) return networks;
  const scaled = (name: string): Float32Array => networks.weights[name].map((value) => value * share);
  return {
    ...networks,
    weights: {
      ...networks.weights,
      'generator.weight': scaled('generator.weight'),
      'generator.bias': scaled('generator.bias'),
    },
  };
}

function sideBySide(parts: readonly Matrix[]): Float32Array {
  const { rows, columns } = parts[0];
  const joined = new Float32Array(rows * columns * parts.length);
  parts.forEach(({ data }, p) => {
    for (let i = 0; i < rows; i++) {
      joined.set(data.subarray(i * columns, (i + 1) * columns), (i * parts.length + p) * columns);
    }
  });
  return joined;
}
