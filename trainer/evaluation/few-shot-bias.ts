import type { Manifest } from '../../core/bundle/manifest.js';
import { ownUnseenShare } from '../../core/fitting/serving-bias.js';
import type { Configuration } from '../configuration.js';
import type { Dataset } from '../datasets/dataset.js';
import type { TrainedModel } from '../model.js';
import { describedClasses } from '../saving/save.js';
import { evidenceOf, type EvidenceChoice } from '../selection/evidence.js';

/**
 * Serving gives a few-shot class only a part of the bias on unseen classes. Evaluation adds one bias to all unseen classes, whatever it is; with
 * this added to the scores first, (C), few-shot classes get their part when that bias is `unseenBias`. Undefined without any.
 */
export function fadedBiasOf(
  {
    classes,
    head,
  }: { readonly classes: Manifest['classes']; readonly head: Pick<Manifest['head'], 'evidence'> },
  unseenBias: number,
): Float64Array | undefined {
  if (classes.every(({ fewShot }) => !fewShot)) return undefined;
  return Float64Array.from(classes, (own) =>
    own.fewShot ? unseenBias * (ownUnseenShare({ head }, own) - 1) : 0,
  );
}

/** The same for a model in memory, before it is a bundle. */
export function fadedBiasOfModel(
  { data }: Pick<TrainedModel, 'data'>,
  dataset: Dataset,
  configuration: Configuration,
  { evidence, unseenBias }: { readonly evidence: EvidenceChoice; readonly unseenBias: number },
): Float64Array | undefined {
  const described = {
    classes: describedClasses(dataset, data.fewShot),
    head: { evidence: evidenceOf(data, configuration, evidence).evidence },
  };
  return fadedBiasOf(described, unseenBias);
}
