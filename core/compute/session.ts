/**
 * The only importer of onnxruntime-node: opens a graph on the first provider that works, and runs it.
 * run() is a synchronous native call that blocks its thread; a server calls it from worker threads only.
 */
import * as ort from 'onnxruntime-node';
import { sessionThreads } from '../available-cores.js';
import { Failure } from '../failures.js';
import type { ElementType } from './onnx-format.js';
import { sizeOf, type Shape } from './shapes.js';

export const providers = ['cpu', 'cuda', 'webgpu'] as const;
export type Provider = (typeof providers)[number];

/** Of the native runtime: another version has other kernels. */
export const runtimeVersion = ort.env.versions.node ?? '';

type TensorData = Float32Array | Int32Array | BigInt64Array | Uint8Array;

interface Tensor {
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

export interface SessionOptions {
  readonly provider?: Provider;
  /** Threads for one operator; 0 lets the runtime take all cores that the CPU limit of a container allows. */
  readonly threads?: number;
  /**
   * Whether idle threads of the runtime look for work all the time (the runtime's default) or sleep. Beside other work on
   * the same cores, such as decoding, sleeping ones leave it more than they lose.
   */
  readonly spinning?: boolean;
  /** False gives the memory of intermediate results back after each run, for work that is done once and then ends or waits. */
  readonly keepsMemory?: boolean;
  /** False runs operator by operator, as the file says: to compare kernels with. */
  readonly optimised?: boolean;
  /**
   * Where the graph goes as the runtime has optimised it, with its weights in a file beside it. It fits this kind of processor and
   * this version of the runtime only.
   */
  readonly saveOptimised?: { readonly graph: string; readonly weights: string } | undefined;
  /** When the provider is missing: go on with the CPU and say so through `onFallback`, or fail. */
  readonly onFallback?: (reason: string) => void;
}

export class Session {
  private constructor(
    private readonly native: ort.InferenceSession,
    readonly provider: Provider,
  ) {}

  static async open(model: Uint8Array | string, options: SessionOptions = {}): Promise<Session> {
    const {
      provider = 'cpu',
      threads = 0,
      spinning = true,
      optimised = true,
      keepsMemory = true,
      onFallback,
      saveOptimised,
    } = options;
    const create = (name: Provider): Promise<ort.InferenceSession> => {
      const settings: ort.InferenceSession.SessionOptions = {
        executionProviders: [name],
        intraOpNumThreads: sessionThreads(threads),
        interOpNumThreads: 1,
        logSeverityLevel: 3,
        enableCpuMemArena: keepsMemory,
        ...(saveOptimised && { optimizedModelFilePath: saveOptimised.graph }),
        ...(!optimised && { graphOptimizationLevel: 'disabled' as const }),
        extra: {
          session: {
            ...(saveOptimised && { optimized_model_external_initializers_file_name: saveOptimised.weights }),
            ...(!spinning && { intra_op: { allow_spinning: '0' } }),
          },
        },
      };
      return typeof model === 'string'
        ? ort.InferenceSession.create(model, settings)
        : ort.InferenceSession.create(model, settings);
    };
    try {
      return new Session(await create(provider), provider);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (provider === 'cpu') throw error; // a graph that the CPU refuses is a defect, not a missing device
      if (!onFallback) {
        throw new Failure(
          'engine-unavailable',
          `ONNX Runtime cannot use the ${provider} provider here: ${reason}. Choose --provider cpu, or install the provider.`,
          { cause: error },
        );
      }
      onFallback(reason);
      return new Session(await create('cpu'), 'cpu');
    }
  }

  get inputNames(): readonly string[] {
    return this.native.inputNames;
  }

  get outputNames(): readonly string[] {
    return this.native.outputNames;
  }

  /** Runs the graph. Outputs given in `into` are written in place, with nothing allocated. */
  async run(
    feeds: Readonly<Record<string, BoundTensor>>,
    into?: Readonly<Record<string, BoundTensor>>,
  ): Promise<Record<string, Tensor>> {
    const results = into
      ? await this.native.run(unwrap(feeds), unwrap(into))
      : await this.native.run(unwrap(feeds));
    return Object.fromEntries(Object.entries(results).map(([name, value]) => [name, fromNative(value)]));
  }

  async release(): Promise<void> {
    await this.native.release();
  }
}

/** A tensor made ready for the runtime once and used many times; it shares memory with `data`. */
export class BoundTensor implements Tensor {
  readonly native: ort.Tensor;

  constructor(
    readonly type: ElementType,
    readonly shape: readonly number[],
    readonly data: TensorData,
  ) {
    if (data.length !== sizeOf(shape))
      throw new RangeError(`${data.length} values for shape ${shape.join(' x ')}`);
    this.native = new ort.Tensor(type, data as Float32Array, shape);
  }

  static floats(shape: Shape, data?: Float32Array): BoundTensor {
    return new BoundTensor('float32', shape as readonly number[], data ?? new Float32Array(sizeOf(shape)));
  }
}

function unwrap(tensors: Readonly<Record<string, BoundTensor>>): Record<string, ort.Tensor> {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, tensor.native]));
}

function fromNative(tensor: ort.Tensor): Tensor {
  return { type: tensor.type as ElementType, shape: tensor.dims, data: tensor.data as TensorData };
}
