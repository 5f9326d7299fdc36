import type { Provider } from '../../core/compute/session.js';
import { Failure } from '../../core/failures.js';
import type { Engine } from './contract.js';
import { OnnxEngine } from './onnx/engine.js';
import { loadTensorflowEngine } from './tensorflow/engine.js';

export const engineNames = ['onnx', 'tensorflow'] as const;
export type EngineName = (typeof engineNames)[number];

interface EngineOptions {
  readonly provider: Provider;
  readonly threads: number;
  readonly stepsPerRun?: number;
}

/** The engine asked for, or a failure that says what is missing: training never falls back in silence. */
export async function openEngine(name: EngineName, options: EngineOptions): Promise<Engine> {
  const { provider, threads, stepsPerRun } = options;
  if (name === 'onnx') {
    const engine = new OnnxEngine({ provider, threads, ...(stepsPerRun && { stepsPerRun }) });
    await engine.probe();
    return engine;
  }
  if (provider !== 'cpu') {
    throw new Failure(
      'usage',
      `--provider ${provider} belongs to --engine onnx; TensorFlow uses the GPU by itself.`,
    );
  }
  return loadTensorflowEngine();
}
