/**
 * One step of Algorithm 1 as a program: from a batch to the loss over generator g and predictor f,
 *
 *   tr(T' C)  +  beta L_P(g, f)      the paper's objective (equation 10)
 *     +  discrimination L_D(g)       ours (discriminationLoss in losses.ts); 0 in the preset `paper`
 *
 *   C (N, N)  cosine costs between real rows x and rows g([a; z]) generated with their labels, or with
 *             labels drawn at random (`batchLabels`)    (equations 1 and 3)
 *   T (N, N)  the transport plan T* with probability p, by IPOT or Sinkhorn (equation 7); otherwise the supervised plan
 *             T~ (equation 9). Held fixed: by the envelope theorem the gradient flows through C alone.
 *   L_P       -log p(x | a) of real rows, of generated rows and, with `regulariseUnseen`, of rows generated for unseen
 *             classes (equations 4 and 5; line 13 of the algorithm leaves out the real ones)
 *
 * N rows in a batch, D features, d attributes, z noise, C classes that compete in L_P. With unlabelled rows (the
 * transductive setting) costs and plan are (2N, 2N), or (N, 2N) as the paper has it, see matching.ts; the other terms stay as they are.
 */
import type { GeneratorSettings } from '../configuration.js';
import type { LossProgram, Operations } from '../engine/contract.js';
import { marginalError } from '../transport/operations.js';
import { discriminationLoss, ncaLoss, transportLoss } from './losses.js';
import type { UnlabelledRows } from './batches.js';
import { inductiveMatching, transductiveMatching } from './matching.js';
import { generateFrom, generatorShapes, predict, predictorShapes } from './networks.js';
import type { StepSizes } from './sizes.js';

/** One term of the objective, and the name under which its value is logged. */
interface Term<T> {
  readonly name: string;
  readonly weight: number;
  readonly value: T; // (1, 1)
}

export function trainingStep(
  sizes: StepSizes,
  settings: GeneratorSettings,
  unlabelled: UnlabelledRows['form'] | null = null,
): LossProgram {
  return {
    name: 'training-step',
    inputs: stepInputs(sizes, settings, unlabelled),
    parameters: { ...generatorShapes(sizes), ...predictorShapes(sizes) },
    build: (ops, inputs, weights) => {
      const { attributes, noise, base, unseenAttributes, unseenNoise, unseenBase } = inputs;
      const generated = generateFrom(ops, weights, sizes, base ?? null, attributes, noise); // (N, D)
      const generateUnseen = (): typeof generated =>
        generateFrom(ops, weights, sizes, unseenBase ?? null, unseenAttributes, unseenNoise); // (N, D)
      const matching =
        unlabelled === 'paired'
          ? transductiveMatching(ops, inputs, generated, generateUnseen(), settings.transport)
          : inductiveMatching(
              ops,
              inputs,
              unlabelled === 'mixed' ? ops.concatenate([generated, generateUnseen()], 0) : generated,
              settings.transport,
            );
      const transport = transportLoss(ops, matching.plan, matching.cost);
      const terms = [
        ...discriminationTerm(ops, inputs, matching.seenCost, settings),
        ...attributeTerms(ops, inputs, weights, { generated, generateUnseen }, settings),
      ];
      return {
        loss: terms.reduce((sum, term) => ops.add(sum, weighted(ops, term)), transport),
        reports: {
          transport,
          marginalError: marginalError(ops, matching.plan),
          ...Object.fromEntries(terms.map(({ name, value }) => [name, value])),
        },
      };
    },
  };
}

function stepInputs(
  { batch: N, attributes: d, noise: z, features: D, classes: C, closedForm }: StepSizes,
  settings: GeneratorSettings,
  unlabelled: UnlabelledRows['form'] | null,
): LossProgram['inputs'] {
  const isIndependent = settings.batchLabels === 'independent' || unlabelled === 'mixed';
  return {
    real: [N, D],
    attributes: [N, d], // of the generated rows, some values blanked by dropout
    noise: [N, z],
    ...(closedForm && { base: [N, D] }), // what the closed form predicts for the class of each generated row
    supervised: [N, unlabelled === 'mixed' ? 2 * N : N],
    ...(settings.discrimination > 0 && { sameClass: [N, N] }),
    useTransport: 'condition',
    targets: [N, C],
    ...(isIndependent && { generatedTargets: [N, C] }),
    classAttributes: [C, d],
    ...((settings.regulariseUnseen || unlabelled) && {
      unseenAttributes: [N, d],
      unseenNoise: [N, z],
      ...(closedForm && { unseenBase: [N, D] }),
    }),
    ...(settings.regulariseUnseen && { unseenTargets: [N, C] }),
    ...(unlabelled === 'paired' && { unlabelled: [N, D] }),
  };
}

/** discrimination L_D: our term, which the paper does not have. */
function discriminationTerm<T>(
  ops: Operations<T>,
  { sameClass }: Record<string, T>,
  seenCost: T, // (N, N)
  { discrimination: weight, discriminationTemperature: temperature }: GeneratorSettings,
): Term<T>[] {
  if (weight === 0) return [];
  return [
    { name: 'discrimination', weight, value: discriminationLoss(ops, seenCost, sameClass, temperature) },
  ];
}

/**
 * beta L_P (equation 5). The predictor learns from real rows even with beta = 0, where the generator is not regularised:
 * no other term then has a gradient for it, and Adam is indifferent to the scale of a gradient, so any weight will do.
 */
function attributeTerms<T>(
  ops: Operations<T>,
  inputs: Record<string, T>,
  weights: Record<string, T>,
  { generated, generateUnseen }: { generated: T; generateUnseen: () => T },
  { beta, gammaSquared, regulariseUnseen }: GeneratorSettings,
): Term<T>[] {
  const nca = (rows: T, targets: T): T =>
    ncaLoss(ops, predict(ops, weights, rows), inputs.classAttributes, targets, gammaSquared);
  const real = nca(inputs.real, inputs.targets);
  if (beta === 0) return [{ name: 'predictor', weight: 1, value: real }];
  const terms = [
    { name: 'predictor', weight: beta, value: real },
    { name: 'regulariser', weight: beta, value: nca(generated, inputs.generatedTargets ?? inputs.targets) },
  ];
  if (regulariseUnseen) {
    const unseen = nca(generateUnseen(), inputs.unseenTargets);
    terms.push({ name: 'unseenRegulariser', weight: beta, value: unseen });
  }
  return terms;
}

function weighted<T>(ops: Operations<T>, { weight, value }: Term<T>): T {
  return ops.multiply(value, ops.scalar(weight));
}
