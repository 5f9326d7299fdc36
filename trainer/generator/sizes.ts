import type { GeneratorSettings } from '../configuration.js';
import type { TrainingData } from '../preparation/training-data.js';
import type { NetworkSizes } from './networks.js';

/** The sizes of one training step: those of the networks, of the batch and of the regulariser's softmax. */
export interface StepSizes extends NetworkSizes {
  readonly batch: number; // N
  readonly classes: number; // C: the classes that compete in the regulariser
}

export function stepSizes(data: TrainingData, settings: GeneratorSettings): StepSizes {
  const d = data.attributes.columns;
  return {
    attributes: d,
    noise: settings.noiseWidth ?? d,
    features: data.features.columns,
    hidden: settings.hidden,
    predictorHidden: settings.predictorHidden,
    nonNegative: data.featureMap.kind === 'minmax',
    closedForm: data.closedForm && { anchors: data.seen.length, length: data.meanLength },
    batch: settings.batchSize,
    classes: competingClasses(data, settings).length,
  };
}

/** The classes in the regulariser's softmax: unseen ones compete only when their generated rows are regularised too. */
export function competingClasses(data: TrainingData, settings: GeneratorSettings): Int32Array {
  return settings.regulariseUnseen ? Int32Array.from([...data.seen, ...data.unseen]) : data.seen;
}
