/** Runs a request through inference. The protocol knows no partial answers: one bad picture refuses the whole request. */
import type { ClassificationAtRevision, InferenceRequest } from '../inference/contract.js';
import type { ServerConfiguration } from '../configuration.js';
import type { ServedModel } from '../model/contract.js';
import { runAll } from '../inference/run-all.js';
import { restrictionOptions } from '../inference/may-answer.js';
import { checkUnseenBias } from '../inference/unseen-bias.js';
import type { ReadRequest } from './read-request.js';

const fieldNames = {
  classes: 'parameters/classes',
  groups: 'parameters/group',
  scoresOf: 'parameters/scores_of',
  groupBy: 'parameters/group_by',
};

export async function infer(
  { inference, classes, manifest }: ServedModel,
  { request, content }: ReadRequest,
  context: Omit<InferenceRequest, 'options'>,
  settings: Pick<ServerConfiguration, 'unknownAt'>,
): Promise<ClassificationAtRevision[]> {
  const { top_k: topK, unseen_bias: unseenBias, unknown_at: unknownAt, ...given } = request.parameters;
  const restriction = {
    classes: given.classes,
    groups: given.group,
    scoresOf: given.scores_of,
    groupBy: given.group_by,
    minProbability: given.min_probability,
  };
  checkUnseenBias(unseenBias, manifest, { name: 'unseen_bias', pointer: '/parameters/unseen_bias' });
  const options = {
    ...{ topK, ...(unseenBias !== undefined && { unseenBias }) },
    unknownAt: unknownAt ?? settings.unknownAt,
    ...restrictionOptions(restriction, classes, fieldNames),
  };
  const common = { ...context, options };
  if ('pictures' in content)
    return runAll(content.pictures, common.signal, (bytes, signal, i) =>
      inference.classifyPicture({ ...common, bytes, name: `image[${i}]`, signal }),
    );
  // One job for each row is behind this: when one fails, the others are aborted with it.
  const [answers] = await runAll([content.features], common.signal, (features, signal) =>
    inference.classifyFeatures({ ...common, features, signal }),
  );
  return answers;
}
