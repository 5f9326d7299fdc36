import { noSearch } from '../../trainer/presets.js';
import { configurationSchema, type Configuration } from '../../trainer/configuration.js';

/**
 * How the demonstration is trained: small, so that its bundle can be kept in the repository, and stated in full, so that
 * a change of defaults does not change the bundle. Chosen on invented flags treated as unseen; letters were not used.
 */
export const demonstrationConfiguration: Configuration = configurationSchema.parse({
  features: { kind: 'minmax', power: 0.5 },
  generator: {
    hidden: 256,
    predictorHidden: 128,
    closedForm: 'held-out',
    members: 1,
    noiseWidth: 64,
    attributeEncoding: 'standardised',
    attributeClip: 5,
    epochs: 30,
    batchSize: 256,
    learningRate: 2e-3,
    weightDecay: 0.01,
    attributeDropout: 0.5,
    transportProbability: 0.2,
    discrimination: 0.5,
    discriminationTemperature: 0.1,
    beta: 0,
  },
  head: {
    samplesPerClass: 100,
    syntheticWeight: 1,
    residual: 1,
    temperature: 10,
    realPrior: 0.5,
    intercepts: false,
    regularisation: 0.003,
    replayPerClass: 8,
  },
  validation: {
    folds: 2,
    classFraction: 0.25, // of all classes, a quarter are letters
    shares: [0, 1],
    search: noSearch,
  },
});
