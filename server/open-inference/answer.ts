/** From answers to the protocol's response: JSON, and behind it the outputs that were wanted as bytes. */
import type { Answer } from '../inference/contract.js';
import type { ServedModel } from '../model/contract.js';
import { modelName, outputNames, type InferRequest, type InferResponse, type OutputName } from './schemas.js';
import { encodeElements } from './tensors.js';

export interface EncodedResponse {
  readonly json: InferResponse;
  /** In the order of the outputs that have no `data`; null when all of them have. */
  readonly bytes: Buffer | null;
}

export function encodeResponse(
  request: InferRequest,
  answers: readonly Answer[],
  model: Pick<ServedModel, 'version'>,
): EncodedResponse {
  // A class added between two rows can make a later one longer, when more are wanted than there are.
  const columns = Math.min(...answers.map(({ predictions }) => predictions.length));
  const best = answers.flatMap(({ predictions }) => predictions.slice(0, columns));
  const contents = {
    class: { datatype: 'BYTES', data: best.map((prediction) => prediction.class) },
    probability: { datatype: 'FP32', data: best.map(({ probability }) => Math.fround(probability)) },
    seen: { datatype: 'BOOL', data: best.map(({ seen }) => seen) },
    // A model that was not measured for it has neither: an empty text, and -1.
    verdict: { datatype: 'BYTES', data: answers.map(({ verdict }) => verdict ?? '') },
    novelty: { datatype: 'FP32', data: answers.map(({ novelty }) => Math.fround(novelty ?? -1)) },
  } as const;
  const shapeOf = (name: OutputName): number[] =>
    name === 'verdict' || name === 'novelty' ? [answers.length, 1] : [answers.length, columns];
  const encoders: Record<OutputName, () => Buffer> = {
    class: () => encodeElements(contents.class.data),
    probability: () => Buffer.from(Float32Array.from(contents.probability.data).buffer),
    seen: () => Buffer.from(contents.seen.data.map(Number)),
    verdict: () => encodeElements(contents.verdict.data),
    novelty: () => Buffer.from(Float32Array.from(contents.novelty.data).buffer),
  };
  const parts: Buffer[] = [];
  const wanted: InferRequest['outputs'] = request.outputs ?? outputNames.map((name) => ({ name }));
  const outputs = wanted.map(({ name, parameters }) => {
    const { datatype, data } = contents[name];
    const shape = shapeOf(name);
    if (!(parameters?.binary_data ?? request.parameters.binary_data_output))
      return { name, datatype, shape, data: [...data] };
    const bytes = encoders[name]();
    parts.push(bytes);
    return { name, datatype, shape, parameters: { binary_data_size: bytes.length } };
  });
  const json: InferResponse = {
    model_name: modelName,
    model_version: versionOf(model),
    ...(request.id !== undefined && { id: request.id }),
    parameters: {
      registry_revision: Math.min(...answers.map(({ revision }) => revision)),
      calibrated: answers.every(({ calibrated }) => calibrated),
    },
    outputs,
  };
  return { json, bytes: parts.length > 0 ? Buffer.concat(parts) : null };
}

/** Short enough for a URL, long enough to tell bundles apart; the same as in the metrics. */
export function versionOf({ version }: { readonly version: string }): string {
  return version.slice(0, 12);
}
