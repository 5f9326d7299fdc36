/**
 * What the trainer knows of its compute engine. A program is written once, against Operations, and every
 * engine runs it: the ONNX engine builds a graph from it, the TensorFlow engine executes it as it reads.
 */

/** The tensor operations that programs are written in; T is an engine's own type of tensor. */
export interface Operations<T> {
  shapeOf(x: T): readonly number[];
  scalar(value: number): T;
  constant(shape: readonly number[], data: Float32Array): T;

  matmul(a: T, b: T, options?: { transposeA?: boolean; transposeB?: boolean }): T; // 2-D
  /** x W + bias, with the bias as a row (1, n). */
  linear(x: T, weight: T, bias: T): T;

  // Element by element, broadcast as NumPy does.
  add(a: T, b: T): T;
  subtract(a: T, b: T): T;
  multiply(a: T, b: T): T;
  divide(a: T, b: T): T;
  relu(x: T): T;
  exp(x: T): T;
  log(x: T): T;
  sqrt(x: T): T;

  /** Along the last axis. */
  logSoftmax(x: T): T;
  // Over the axes named, which stay with size 1.
  sum(x: T, axes: readonly number[]): T;
  mean(x: T, axes: readonly number[]): T;
  max(x: T, axes: readonly number[]): T; // no gradient flows through it

  concatenate(parts: readonly T[], axis: number): T;
  slice(x: T, axis: number, start: number, end: number): T;
  reshape(x: T, shape: readonly number[]): T;

  /** The same values, through which no gradient flows. */
  stopGradient(x: T): T;
  /** Runs one branch only, by a condition input; no gradient flows through it. */
  choose(condition: T, then: (inside: Operations<T>) => T, otherwise: (inside: Operations<T>) => T): T;
}

/** Named values: Float32Arrays for tensors of the declared shape, booleans for conditions. */
export type InputValues = Readonly<Record<string, Float32Array | boolean>>;
export type ParameterValues = Readonly<Record<string, Float32Array>>;
export type InputShape = readonly number[] | 'condition';

interface Signature {
  readonly name: string;
  readonly inputs: Readonly<Record<string, InputShape>>;
  readonly parameters: Readonly<Record<string, readonly number[]>>;
}

/** Something to evaluate. */
export interface FunctionProgram extends Signature {
  build<T>(ops: Operations<T>, inputs: Record<string, T>, parameters: Record<string, T>): Record<string, T>;
}

/** Something to minimise over the parameters: a loss of one value, and more values worth a line in the log. */
export interface LossProgram extends Signature {
  build<T>(
    ops: Operations<T>,
    inputs: Record<string, T>,
    parameters: Record<string, T>,
  ): { loss: T; reports: Record<string, T> };
}

export interface Evaluator {
  run(inputs: InputValues, parameters: ParameterValues): Promise<Record<string, Float32Array>>;
  release(): Promise<void>;
}

export interface GradientEvaluator {
  /** The arrays returned belong to the engine and are overwritten by the next run. */
  run(
    inputs: InputValues,
    parameters: ParameterValues,
  ): Promise<{ loss: number; reports: Record<string, number>; gradients: Record<string, Float32Array> }>;
  release(): Promise<void>;
}

export interface AdamSettings {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** Decoupled (AdamW): each step multiplies the weights by 1 - rate * weightDecay. */
  readonly weightDecay: number;
}

/** All that a training run carries from one step to the next; saved in checkpoints. */
export interface TrainingState {
  readonly step: number;
  readonly parameters: ParameterValues;
  readonly firstMoments: ParameterValues;
  readonly secondMoments: ParameterValues;
}

export interface TrainingRun {
  /** One Adam update for each batch in turn; the reports hold `loss` and the program's own. */
  step(batches: readonly TrainingBatch[]): Promise<Record<string, number>[]>;
  /** Views of the live weights: valid until the next step. */
  parameters(): ParameterValues;
  snapshot(): TrainingState;
  release(): Promise<void>;
}

export interface TrainingBatch {
  readonly inputs: InputValues;
  readonly learningRate: number;
}

export interface Engine {
  readonly name: string;
  /** The number of updates in one call of `step` that is fastest. */
  readonly stepsPerRun: number;
  evaluator(program: FunctionProgram): Promise<Evaluator>;
  gradients(program: LossProgram): Promise<GradientEvaluator>;
  training(program: LossProgram, adam: AdamSettings, state: TrainingState): Promise<TrainingRun>;
}
