/**
 * Weights, both moments and gradients of a training run, laid out in one WebAssembly memory, with the Adam update as
 * a SIMD kernel over it. ONNX Runtime reads the weights and writes the gradients through the same memory, so that a
 * step copies nothing, and updating in place needs no second set of weights.
 */
import { Failure } from '../../core/failures.js';
import { adamKernelBinary } from './adam-kernel-binary.js';
import { adamStep } from './adam.js';
import type { AdamSettings, ParameterValues, TrainingState } from './contract.js';
import { mapValues } from './state.js';

const pageBytes = 65536;
const maxPages = 65536;

/** Byte offsets of the four areas, how many values each has, and the constants of adam.ts. */
type AdamFunction = (
  weights: number,
  firstMoments: number,
  secondMoments: number,
  gradients: number,
  count: number,
  beta1: number,
  beta2: number,
  rate: number,
  epsilon: number,
  keep: number,
) => void;

export class AdamMemory {
  readonly weights: ParameterValues;
  readonly gradients: ParameterValues;
  private readonly firstMoments: ParameterValues;
  private readonly secondMoments: ParameterValues;
  private readonly adam: AdamFunction;
  private readonly count: number; // values in each of the four areas
  private stepsDone: number;

  constructor(
    private readonly settings: AdamSettings,
    state: TrainingState,
  ) {
    // Each parameter starts on a multiple of four values, which is what the kernel's 16-byte loads want.
    const offsets = new Map<string, number>();
    let count = 0;
    for (const [name, values] of Object.entries(state.parameters)) {
      offsets.set(name, count);
      count += Math.ceil(values.length / 4) * 4;
    }
    this.count = count;
    this.stepsDone = state.step;

    const pages = Math.ceil((4 * 4 * count) / pageBytes);
    if (pages > maxPages) {
      throw new Failure(
        'config-invalid',
        `${count} weights need more than the 4 GiB that the CPU engine can hold; use a smaller hidden layer.`,
      );
    }
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const module = new WebAssembly.Module(Buffer.from(adamKernelBinary, 'base64'));
    this.adam = new WebAssembly.Instance(module, { env: { memory } }).exports.adam as AdamFunction;

    const area = (index: number): ParameterValues =>
      mapValues(
        state.parameters,
        (values, name) =>
          new Float32Array(memory.buffer, 4 * (index * count + offsets.get(name)!), values.length),
      );
    [this.weights, this.firstMoments, this.secondMoments, this.gradients] = [
      area(0),
      area(1),
      area(2),
      area(3),
    ];
    copyInto(this.weights, state.parameters);
    copyInto(this.firstMoments, state.firstMoments);
    copyInto(this.secondMoments, state.secondMoments);
  }

  /** Updates the weights from the gradients that lie in memory. */
  update(learningRate: number): void {
    this.stepsDone += 1;
    const { rate, epsilon, keep } = adamStep(this.settings, learningRate, this.stepsDone);
    const { beta1, beta2 } = this.settings;
    const bytes = 4 * this.count;
    this.adam(0, bytes, 2 * bytes, 3 * bytes, this.count, beta1, beta2, rate, epsilon, keep);
  }

  snapshot(): TrainingState {
    const copy = (values: ParameterValues): ParameterValues => mapValues(values, (array) => array.slice());
    return {
      step: this.stepsDone,
      parameters: copy(this.weights),
      firstMoments: copy(this.firstMoments),
      secondMoments: copy(this.secondMoments),
    };
  }
}

function copyInto(target: ParameterValues, source: ParameterValues): void {
  for (const [name, values] of Object.entries(target)) values.set(source[name]);
}
