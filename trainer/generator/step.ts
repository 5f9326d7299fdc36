/**
 * One step of Algorithm 2 as a program: from a batch of real rows and the attributes and noise of as many generated
 * ones to the loss over generator and predictor.
 */
import type { GeneratorSettings, TransportSettings } from '../configuration.js';
import type { LossProgram, Operations } from '../engine/contract.js';
import { cosineCost, ipotPlan, marginalError, sinkhornPlan } from '../transport/operations.js';
import { discriminationLoss, ncaLoss, transportLoss } from './losses.js';
import { generate, generatorShapes, predict, predictorShapes, type NetworkSizes } from './networks.js';

export interface StepSizes extends NetworkSizes {
  readonly batch: number; // N
  readonly classes: number; // C: the classes that compete in the regulariser
}

/**
 * With unlabelled rows (the transductive setting) there are as many of them as of real rows, and as many generated rows
 * of unseen classes: transport then runs over the union, and the supervised plan is completed by transport between
 * unlabelled rows and generated unseen ones.
 */
export function trainingStep(
  sizes: StepSizes,
  settings: GeneratorSettings,
  withUnlabelled = false,
): LossProgram {
  const { batch: N, attributes: d, noise: z, features: D, classes: C } = sizes;
  return {
    name: 'training-step',
    inputs: {
      real: [N, D],
      attributes: [N, d], // of the generated rows: the labels of the real rows, values partly blanked
      noise: [N, z],
      supervised: [N, N],
      ...(settings.discrimination > 0 ? { sameClass: [N, N] } : {}),
      useTransport: 'condition',
      targets: [N, C],
      classAttributes: [C, d],
      ...(settings.regulariseUnseen || withUnlabelled
        ? { unseenAttributes: [N, d], unseenNoise: [N, z] }
        : {}),
      ...(settings.regulariseUnseen ? { unseenTargets: [N, C] } : {}),
      ...(withUnlabelled ? { unlabelled: [N, D] } : {}),
    },
    parameters: { ...generatorShapes(sizes), ...predictorShapes(sizes) },
    build: (ops, inputs, weights) => {
      const generated = generate(ops, weights, sizes, inputs.attributes, inputs.noise); // (N, D)
      const generatedUnseen = (): typeof generated =>
        generate(ops, weights, sizes, inputs.unseenAttributes, inputs.unseenNoise); // (N, D)
      const whole = withUnlabelled
        ? cosineCost(
            ops,
            ops.concatenate([inputs.real, inputs.unlabelled], 0),
            ops.concatenate([generated, generatedUnseen()], 0),
          ) // (2N, 2N)
        : cosineCost(ops, inputs.real, generated); // (N, N)
      const fixedCost = ops.stopGradient(whole);
      const plan = ops.stopGradient(
        ops.choose(
          inputs.useTransport,
          (inside) => solvePlan(inside, fixedCost, settings.transport),
          (inside) =>
            withUnlabelled
              ? completedPlan(inside, inputs.supervised, fixedCost, settings.transport)
              : inputs.supervised,
        ),
      );
      const transport = transportLoss(ops, plan, whole);
      const cost = withUnlabelled ? corner(ops, whole, 0, N) : whole; // (N, N): real rows against seen classes
      const terms = [transport];
      const reports: Record<string, typeof transport> = {
        transport,
        marginalError: marginalError(ops, plan),
      };

      if (settings.discrimination > 0) {
        const term = discriminationLoss(ops, cost, inputs.sameClass, settings.discriminationTemperature);
        terms.push(ops.multiply(term, ops.scalar(settings.discrimination)));
        reports.discrimination = term;
      }

      // The predictor always learns from real rows. Only with beta > 0 does it speak to the generator; Adam does not
      // mind the scale of a gradient, so that without beta the weight of this term is free.
      const nca = (rows: typeof transport, targets: typeof transport) =>
        ncaLoss(ops, predict(ops, weights, rows), inputs.classAttributes, targets, settings.gammaSquared);
      const real = nca(inputs.real, inputs.targets);
      terms.push(ops.multiply(real, ops.scalar(settings.beta > 0 ? settings.beta : 1)));
      reports.predictor = real;
      if (settings.beta > 0) {
        const regulariser = nca(generated, inputs.targets);
        terms.push(ops.multiply(regulariser, ops.scalar(settings.beta)));
        reports.regulariser = regulariser;
        if (settings.regulariseUnseen) {
          const unseen = nca(generatedUnseen(), inputs.unseenTargets);
          terms.push(ops.multiply(unseen, ops.scalar(settings.beta)));
          reports.unseenRegulariser = unseen;
        }
      }
      return { loss: terms.reduce((sum, term) => ops.add(sum, term)), reports };
    },
  };
}

/** The supervised plan for labelled rows, transport for the others, half of the mass each: (2N, 2N). */
function completedPlan<T>(ops: Operations<T>, supervised: T, cost: T, settings: TransportSettings): T {
  const [N] = ops.shapeOf(supervised);
  const half = ops.scalar(0.5);
  const free = solvePlan(ops, corner(ops, cost, N, 2 * N), settings); // (N, N)
  const nothing = ops.constant([N, N], new Float32Array(N * N));
  return ops.concatenate(
    [
      ops.concatenate([ops.multiply(supervised, half), nothing], 1),
      ops.concatenate([nothing, ops.multiply(free, half)], 1),
    ],
    0,
  );
}

/** The rows and columns from `start` to `end`. */
function corner<T>(ops: Operations<T>, x: T, start: number, end: number): T {
  return ops.slice(ops.slice(x, 0, start, end), 1, start, end);
}

function solvePlan<T>(ops: Operations<T>, cost: T, settings: TransportSettings): T {
  return settings.solver === 'ipot'
    ? ipotPlan(ops, cost, settings)
    : sinkhornPlan(ops, cost, {
        epsilon: settings.epsilon,
        mostIterations: settings.iterations,
        tolerance: 0,
      });
}
