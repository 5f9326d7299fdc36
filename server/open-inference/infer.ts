/** Runs a request through inference. The protocol knows no partial answers: one bad picture refuses the whole request. */
import { Failure } from '../../core/failures.js';
import type { ClassifyOptions } from '../../core/head/classifier.js';
import type { Answer, Inference, ServedModel } from '../inference/contract.js';
import type { StageListener } from '../observability/tracing.js';
import type { InferContent, ReadRequest } from './read-request.js';
import type { InferRequest } from './schemas.js';

export function infer(
  inference: Inference,
  { request, content }: ReadRequest,
  signal: AbortSignal,
  onStage?: StageListener,
): Promise<Answer[]> {
  const options = classifyOptions(request, inference.model);
  return 'features' in content
    ? inference.classifyFeatures(content.features, options, signal, onStage)
    : classifyPictures(inference, content, options, signal, onStage);
}

async function classifyPictures(
  inference: Inference,
  { pictures }: Extract<InferContent, { pictures: unknown }>,
  options: ClassifyOptions,
  signal: AbortSignal,
  onStage: StageListener | undefined,
): Promise<Answer[]> {
  const refusal = new AbortController(); // once one is refused, nobody waits for the others
  const either = AbortSignal.any([signal, refusal.signal]);
  try {
    return await Promise.all(
      pictures.map((bytes, i) => inference.classifyPicture(bytes, `image[${i}]`, options, either, onStage)),
    );
  } catch (error) {
    refusal.abort(error);
    throw error;
  }
}

function classifyOptions({ parameters }: InferRequest, { manifest }: ServedModel): ClassifyOptions {
  const { top_k: topK, unseen_bias: unseenBias } = parameters;
  if (unseenBias === undefined) return { topK };
  const { unseenBias: own, unseenBiasRange } = manifest.head;
  const [least, most] = unseenBiasRange;
  if (unseenBias < least || unseenBias > most)
    throw new Failure(
      'request-invalid',
      `unseen_bias must lie between ${least} and ${most} for this model; ${own} is its own.`,
      { fields: [{ pointer: '/parameters/unseen_bias', detail: `from ${least} to ${most}` }] },
    );
  return { topK, unseenBias };
}
