/**
 * The TensorFlow engine, for CUDA images that have `@tensorflow/tfjs-node-gpu`. The package is an optional peer: it
 * downloads libtensorflow when it is installed, which nobody without a GPU should have to do. The same adapter runs on
 * `@tensorflow/tfjs` in plain JavaScript, which is how tests hold its gradients against the ONNX engine's.
 */
import { Failure } from '../../../core/failures.js';
import { adamStep } from '../adam.js';
import type {
  AdamSettings,
  Engine,
  Evaluator,
  FunctionProgram,
  GradientEvaluator,
  InputValues,
  LossProgram,
  ParameterValues,
  TrainingRun,
  TrainingState,
} from '../contract.js';
import { mapValues } from '../state.js';
import { tensorflowOperations, type TF, type TfTensor } from './operations.js';

type EngineProgram = FunctionProgram | LossProgram;

/** Loads the GPU package if it is there. */
export async function loadTensorflowEngine(): Promise<Engine> {
  const name = '@tensorflow/tfjs-node-gpu';
  try {
    const module = (await import(name)) as TF & { default?: TF };
    return new TensorflowEngine(module.default ?? module);
  } catch (error) {
    throw new Failure(
      'engine-unavailable',
      `The TensorFlow engine needs the package ${name}, which is not installed. Run "npm install ${name}" on a machine ` +
        'with CUDA, or choose --engine onnx.',
      { cause: error },
    );
  }
}

export class TensorflowEngine implements Engine {
  readonly name: string;
  readonly stepsPerRun = 1; // weights stay on the device between calls anyway

  constructor(private readonly tf: TF) {
    this.name = `tensorflow/${tf.getBackend()}`;
  }

  evaluator(program: FunctionProgram): Promise<Evaluator> {
    const { tf } = this;
    const ops = tensorflowOperations(tf);
    return Promise.resolve({
      run: async (inputs, parameters) => {
        const outputs = tf.tidy(() =>
          program.build(ops, this.inputTensors(program, inputs), this.parameterTensors(program, parameters)),
        );
        const values = await Promise.all(
          Object.entries(outputs).map(
            async ([name, tensor]) => [name, (await tensor.data()) as Float32Array] as const,
          ),
        );
        tf.dispose(outputs);
        return Object.fromEntries(values);
      },
      release: () => Promise.resolve(),
    });
  }

  gradients(program: LossProgram): Promise<GradientEvaluator> {
    return Promise.resolve({
      run: async (inputs, parameters) => {
        const weights = this.parameterTensors(program, parameters);
        const { reports, gradients } = await this.differentiate(program, inputs, weights);
        const values = mapValues(gradients, (tensor) => tensor.dataSync() as Float32Array);
        this.tf.dispose([weights, gradients]);
        return { loss: reports.loss, reports, gradients: values };
      },
      release: () => Promise.resolve(),
    });
  }

  training(program: LossProgram, adam: AdamSettings, state: TrainingState): Promise<TrainingRun> {
    const { tf } = this;
    let weights = this.parameterTensors(program, state.parameters);
    let first = this.parameterTensors(program, state.firstMoments);
    let second = this.parameterTensors(program, state.secondMoments);
    let stepsDone = state.step;

    const update = (gradients: Record<string, TfTensor>, learningRate: number): void => {
      stepsDone += 1;
      const { rate, epsilon, keep } = adamStep(adam, learningRate, stepsDone);
      const blend = (old: TfTensor, fresh: TfTensor, beta: number) => old.mul(beta).add(fresh.mul(1 - beta));
      const next = tf.tidy(() => {
        const m = mapValues(first, (old, name) => blend(old, gradients[name], adam.beta1));
        const v = mapValues(second, (old, name) => blend(old, gradients[name].square(), adam.beta2));
        const w = mapValues(weights, (old, name) =>
          old.mul(keep).sub(m[name].mul(rate).div(v[name].sqrt().add(epsilon))),
        );
        return { m, v, w };
      });
      tf.dispose([weights, first, second, gradients]);
      [weights, first, second] = [next.w, next.m, next.v];
    };
    const read = (tensors: Record<string, TfTensor>): ParameterValues =>
      mapValues(tensors, (tensor) => (tensor.dataSync() as Float32Array).slice());

    return Promise.resolve({
      step: async (batches) => {
        const all: Record<string, number>[] = [];
        for (const batch of batches) {
          const { reports, gradients } = await this.differentiate(program, batch.inputs, weights);
          update(gradients, batch.learningRate);
          all.push(reports);
        }
        return all;
      },
      parameters: () => read(weights),
      snapshot: () => ({
        step: stepsDone,
        parameters: read(weights),
        firstMoments: read(first),
        secondMoments: read(second),
      }),
      release: () => {
        tf.dispose([weights, first, second]);
        return Promise.resolve();
      },
    });
  }

  /** The loss, what the program reports, and the gradient for each parameter. */
  private async differentiate(program: LossProgram, inputs: InputValues, weights: Record<string, TfTensor>) {
    const { tf } = this;
    const ops = tensorflowOperations(tf);
    const names = Object.keys(weights);
    const { kept, gradients } = tf.tidy(() => {
      let kept: Record<string, TfTensor> = {};
      const bound = this.inputTensors(program, inputs);
      const loss = (...values: TfTensor[]): TfTensor => {
        const named = Object.fromEntries(names.map((name, i) => [name, values[i]]));
        const result = program.build(ops, bound, named);
        kept = mapValues({ loss: result.loss, ...result.reports }, (tensor) => tf.keep(tensor.clone()));
        return result.loss.asScalar();
      };
      const { grads } = tf.valueAndGrads(loss)(names.map((name) => weights[name]));
      return { kept, gradients: Object.fromEntries(names.map((name, i) => [name, grads[i]])) };
    });
    const values = await Promise.all(Object.values(kept).map(async (tensor) => (await tensor.data())[0]));
    const reports = Object.fromEntries(Object.keys(kept).map((name, i) => [name, values[i]]));
    tf.dispose(kept);
    return { reports, gradients };
  }

  private inputTensors(program: EngineProgram, values: InputValues): Record<string, TfTensor> {
    return mapValues(program.inputs, (shape, name) => {
      const value = values[name];
      if (shape === 'condition') return this.tf.scalar(value === true, 'bool');
      return this.tf.tensor(value, [...shape]);
    });
  }

  private parameterTensors(program: EngineProgram, values: ParameterValues): Record<string, TfTensor> {
    // TensorFlow keeps a reference to what it is given on the CPU: the copy keeps the caller's array its own.
    return mapValues(program.parameters, (shape, name) => this.tf.tensor(values[name].slice(), [...shape]));
  }
}
