/**
 * The ONNX Runtime engine: a program becomes one graph, differentiated ahead of time, run by a session.
 * On the CPU the graph outputs gradients and the SIMD kernel updates the weights in place; with several steps per
 * run, or on a device, the update is part of the graph (training-in-graph.ts), so that weights need not come back.
 */
import { Graph, type GraphValue } from '../../../core/compute/graph.js';
import { BoundTensor, Session, type Provider, type SessionOptions } from '../../../core/compute/session.js';
import { AdamMemory } from '../adam-kernel.js';
import type {
  AdamSettings,
  Engine,
  Evaluator,
  FunctionProgram,
  GradientEvaluator,
  InputShape,
  InputValues,
  LossProgram,
  ParameterValues,
  TrainingRun,
  TrainingState,
} from '../contract.js';
import { mapValues } from '../state.js';
import { differentiate } from './differentiate.js';
import { graphOperations } from './operations.js';
import { trainInGraph } from './training-in-graph.js';

interface OnnxEngineOptions {
  readonly provider?: Provider;
  readonly threads?: number;
  /** Updates in one call of the runtime; above 1 the weights stay inside it between them. */
  readonly stepsPerRun?: number;
}

export class OnnxEngine implements Engine {
  readonly name: string;
  readonly stepsPerRun: number;
  private readonly session: SessionOptions;

  constructor(private readonly options: OnnxEngineOptions = {}) {
    this.name = `onnx/${options.provider ?? 'cpu'}`;
    this.stepsPerRun = options.stepsPerRun ?? 1;
    this.session = { provider: options.provider ?? 'cpu', threads: options.threads ?? 0 };
  }

  /** Opens a graph of one node, so that a missing provider fails before any work is done. */
  async probe(): Promise<void> {
    const graph = new Graph('probe');
    const session = await Session.open(graph.encode({ y: graph.exp(graph.input('x', [1])) }), this.session);
    await session.release();
  }

  async evaluator(program: FunctionProgram): Promise<Evaluator> {
    const { graph, inputs, parameters } = declare(program);
    const outputs = program.build(graphOperations(graph), inputs, parameters);
    const session = await Session.open(graph.encode(outputs), this.session);
    return {
      run: async (values, weights) => {
        const results = await session.run({
          ...bindInputs(program, values),
          ...bindParameters(program, weights),
        });
        return mapValues(results, (tensor) => tensor.data as Float32Array);
      },
      release: () => session.release(),
    };
  }

  async gradients(program: LossProgram): Promise<GradientEvaluator> {
    const { session, reportNames } = await openGradients(program, this.session);
    const gradients = mapValues(program.parameters, (shape) => BoundTensor.floats(shape));
    const into = gradientTargets(gradients);
    return {
      run: async (values, weights) => {
        const feeds = { ...bindInputs(program, values), ...bindParameters(program, weights) };
        const reports = await runGradients(session, reportNames, feeds, into);
        return {
          loss: reports.loss,
          reports,
          gradients: mapValues(gradients, (tensor) => tensor.data as Float32Array),
        };
      },
      release: () => session.release(),
    };
  }

  async training(program: LossProgram, adam: AdamSettings, state: TrainingState): Promise<TrainingRun> {
    if (this.stepsPerRun > 1 || (this.options.provider ?? 'cpu') !== 'cpu') {
      return trainInGraph(program, adam, state, this.stepsPerRun, this.session);
    }
    const { session, reportNames } = await openGradients(program, this.session);
    const memory = new AdamMemory(adam, state);
    const weights = bindParameters(program, memory.weights);
    const into = gradientTargets(bindParameters(program, memory.gradients));
    return {
      step: async (batches) => {
        const reports: Record<string, number>[] = [];
        for (const batch of batches) {
          const feeds = { ...bindInputs(program, batch.inputs), ...weights };
          reports.push(await runGradients(session, reportNames, feeds, into));
          memory.update(batch.learningRate);
        }
        return reports;
      },
      parameters: () => memory.weights,
      snapshot: () => memory.snapshot(),
      release: () => session.release(),
    };
  }
}

interface Declared {
  readonly graph: Graph;
  readonly inputs: Record<string, GraphValue>;
  readonly parameters: Record<string, GraphValue>;
}

function declare(program: FunctionProgram | LossProgram): Declared {
  const graph = new Graph(program.name);
  const inputs = mapValues(program.inputs, (shape, name) => declareInput(graph, name, shape));
  const parameters = mapValues(program.parameters, (shape, name) => graph.input(name, shape));
  return { graph, inputs, parameters };
}

function declareInput(graph: Graph, name: string, shape: InputShape): GraphValue {
  return shape === 'condition' ? graph.input(name, [], 'bool') : graph.input(name, shape);
}

async function openGradients(program: LossProgram, options: SessionOptions) {
  const { graph, inputs, parameters } = declare(program);
  const { loss, reports } = program.build(graphOperations(graph), inputs, parameters);
  const names = Object.keys(parameters);
  const gradients = differentiate(graph, loss, Object.values(parameters));
  const outputs: Record<string, GraphValue> = { loss, ...reports };
  names.forEach((name, i) => (outputs[gradientName(name)] = gradients[i]!));
  const session = await Session.open(graph.encode(outputs), options);
  return { session, reportNames: ['loss', ...Object.keys(reports)] };
}

function gradientName(parameter: string): string {
  return `gradient.${parameter}`;
}

function gradientTargets(gradients: Readonly<Record<string, BoundTensor>>): Record<string, BoundTensor> {
  return Object.fromEntries(Object.entries(gradients).map(([name, tensor]) => [gradientName(name), tensor]));
}

/** Runs with every gradient written in place; the loss and the reports are single numbers. */
async function runGradients(
  session: Session,
  reportNames: readonly string[],
  feeds: Record<string, BoundTensor>,
  gradients: Record<string, BoundTensor>,
): Promise<Record<string, number>> {
  const values = Object.fromEntries(reportNames.map((name) => [name, BoundTensor.floats([1, 1])]));
  await session.run(feeds, { ...gradients, ...values });
  return mapValues(values, (tensor) => (tensor.data as Float32Array)[0]);
}

function bindInputs(
  program: FunctionProgram | LossProgram,
  values: InputValues,
): Record<string, BoundTensor> {
  return mapValues(program.inputs, (shape, name) => {
    const value = values[name];
    if (shape === 'condition') return new BoundTensor('bool', [], Uint8Array.of(value === true ? 1 : 0));
    if (!(value instanceof Float32Array)) throw new TypeError(`input ${name} is missing`);
    return BoundTensor.floats(shape, value);
  });
}

function bindParameters(
  program: FunctionProgram | LossProgram,
  values: ParameterValues,
): Record<string, BoundTensor> {
  return mapValues(program.parameters, (shape, name) => BoundTensor.floats(shape, values[name]));
}
