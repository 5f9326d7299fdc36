/**
 * Training with the Adam update inside the graph: a Scan over K batches carries the weights and both moments from
 * step to step, so that on a device they stay there for K steps. Two sets of buffers change roles after each run,
 * because an output may not overwrite an input that is still read.
 */
import { Graph, type GraphValue } from '../../../core/compute/graph.js';
import { BoundTensor, Session, type SessionOptions } from '../../../core/compute/session.js';
import { adamStep } from '../adam.js';
import type {
  AdamSettings,
  InputShape,
  LossProgram,
  TrainingBatch,
  TrainingRun,
  TrainingState,
} from '../contract.js';
import { mapValues } from '../state.js';
import { differentiate } from './differentiate.js';
import { graphOperations } from './operations.js';

const areas = ['weight', 'first', 'second'] as const;
const scheduleNames = ['rate', 'epsilon', 'keep'] as const;

export function trainInGraph(
  program: LossProgram,
  adam: AdamSettings,
  state: TrainingState,
  stepsPerRun: number,
  options: SessionOptions,
): TrainingRun {
  const names = Object.keys(program.parameters);
  const sessions = new Map<number, { session: Session; reportNames: string[] }>();
  const sessionFor = async (steps: number) => {
    // The last run of an epoch may hold fewer batches; it gets a graph of its own length.
    const known = sessions.get(steps) ?? (await openScan(program, adam, steps, options));
    sessions.set(steps, known);
    return known;
  };

  let current = bindState(program, state);
  let other = mapValues(current, (tensor) => BoundTensor.floats(tensor.shape));
  let stepsDone = state.step;

  const runOnce = async (batches: readonly TrainingBatch[]): Promise<Record<string, number>[]> => {
    const { session, reportNames } = await sessionFor(batches.length);
    const schedule = batches.map((batch, i) => adamStep(adam, batch.learningRate, stepsDone + i + 1));
    const feeds = { ...current, ...stackBatches(program, batches) };
    for (const name of scheduleNames) {
      feeds[name] = BoundTensor.floats(
        [batches.length],
        Float32Array.from(schedule, (step) => step[name]),
      );
    }
    const reports = Object.fromEntries(
      reportNames.map((name) => [name, BoundTensor.floats([batches.length, 1, 1])]),
    );
    const outputs = Object.fromEntries(
      Object.entries(other).map(([name, tensor]) => [`next.${name}`, tensor]),
    );
    await session.run(feeds, { ...outputs, ...reports });
    [current, other] = [other, current];
    stepsDone += batches.length;
    return batches.map((_, i) => mapValues(reports, (tensor) => (tensor.data as Float32Array)[i]));
  };

  const read = (area: (typeof areas)[number]) =>
    Object.fromEntries(names.map((name) => [name, current[`${area}.${name}`].data as Float32Array]));

  return {
    step: async (batches) => {
      const reports: Record<string, number>[] = [];
      for (let start = 0; start < batches.length; start += stepsPerRun) {
        reports.push(...(await runOnce(batches.slice(start, start + stepsPerRun))));
      }
      return reports;
    },
    parameters: () => read('weight'),
    snapshot: () => {
      const copy = (area: (typeof areas)[number]) => mapValues(read(area), (values) => values.slice());
      return {
        step: stepsDone,
        parameters: copy('weight'),
        firstMoments: copy('first'),
        secondMoments: copy('second'),
      };
    },
    release: async () => {
      for (const { session } of sessions.values()) await session.release();
    },
  };
}

async function openScan(program: LossProgram, adam: AdamSettings, steps: number, options: SessionOptions) {
  const graph = new Graph(`${program.name} x ${steps}`);
  const parameterNames = Object.keys(program.parameters);
  const stateNames = areas.flatMap((area) => parameterNames.map((name) => `${area}.${name}`));
  const states = stateNames.map((name) =>
    graph.input(name, program.parameters[name.slice(name.indexOf('.') + 1)]),
  );
  const inputs = Object.entries(program.inputs).map(([name, shape]) =>
    graph.input(name, stackedShape(shape, steps), shape === 'condition' ? 'bool' : 'float32'),
  );
  const schedule = scheduleNames.map((name) => graph.input(name, [steps]));
  let reportNames: string[] = [];

  const result = graph.scan(states, [...inputs, ...schedule], steps, (inside, innerStates, slices) => {
    const count = parameterNames.length;
    const weights = innerStates.slice(0, count);
    const named = (values: GraphValue[]) =>
      Object.fromEntries(parameterNames.map((name, i) => [name, values[i]]));
    const inputSlices = Object.fromEntries(Object.keys(program.inputs).map((name, i) => [name, slices[i]]));
    const { loss, reports } = program.build(graphOperations(inside), inputSlices, named(weights));
    const gradients = differentiate(inside, loss, weights);
    const [rate, epsilon, keep] = slices.slice(inputs.length) as [GraphValue, GraphValue, GraphValue];
    const updated = weights.map((weight, i) =>
      adamUpdate(inside, adam, { rate, epsilon, keep }, [
        weight,
        innerStates[count + i],
        innerStates[2 * count + i],
        gradients[i],
      ]),
    );
    reportNames = ['loss', ...Object.keys(reports)];
    return {
      states: areas.flatMap((_, area) => updated.map((values) => values[area])),
      collected: [loss, ...Object.values(reports)],
    };
  });

  const outputs: Record<string, GraphValue> = {};
  stateNames.forEach((name, i) => (outputs[`next.${name}`] = result.states[i]!));
  reportNames.forEach((name, i) => (outputs[name] = result.collected[i]!));
  return { session: await Session.open(graph.encode(outputs), options), reportNames };
}

/** The equations of adam.ts as graph operators. */
function adamUpdate(
  graph: Graph,
  settings: AdamSettings,
  { rate, epsilon, keep }: Record<(typeof scheduleNames)[number], GraphValue>,
  [weight, first, second, gradient]: [GraphValue, GraphValue, GraphValue, GraphValue],
): [GraphValue, GraphValue, GraphValue] {
  const blend = (old: GraphValue, fresh: GraphValue, beta: number): GraphValue =>
    graph.add(graph.multiply(old, graph.scalar(beta)), graph.multiply(fresh, graph.scalar(1 - beta)));
  const nextFirst = blend(first, gradient, settings.beta1);
  const nextSecond = blend(second, graph.multiply(gradient, gradient), settings.beta2);
  const change = graph.divide(graph.multiply(nextFirst, rate), graph.add(graph.sqrt(nextSecond), epsilon));
  return [graph.subtract(graph.multiply(weight, keep), change), nextFirst, nextSecond];
}

function stackedShape(shape: InputShape, steps: number): number[] {
  return shape === 'condition' ? [steps] : [steps, ...shape];
}

function bindState(program: LossProgram, state: TrainingState): Record<string, BoundTensor> {
  const sources = { weight: state.parameters, first: state.firstMoments, second: state.secondMoments };
  return Object.fromEntries(
    areas.flatMap((area) =>
      Object.entries(program.parameters).map(([name, shape]) => [
        `${area}.${name}`,
        BoundTensor.floats(shape, sources[area][name].slice()),
      ]),
    ),
  );
}

function stackBatches(program: LossProgram, batches: readonly TrainingBatch[]): Record<string, BoundTensor> {
  return mapValues(program.inputs, (shape, name) => {
    const stacked = stackedShape(shape, batches.length);
    if (shape === 'condition') {
      return new BoundTensor(
        'bool',
        stacked,
        Uint8Array.from(batches, (batch) => (batch.inputs[name] === true ? 1 : 0)),
      );
    }
    const tensor = BoundTensor.floats(stacked);
    const size = tensor.data.length / batches.length;
    batches.forEach((batch, i) => {
      (tensor.data as Float32Array).set(batch.inputs[name] as Float32Array, i * size);
    });
    return tensor;
  });
}
