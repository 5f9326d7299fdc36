import type { z } from 'zod';
import { configurationSchema, type Configuration } from '../../../trainer/configuration.js';
import { noSearch } from '../../../trainer/presets.js';

type Sections = z.input<typeof configurationSchema>;

/** Settings with which the synthetic dataset trains in a second. */
export function smallConfiguration(over: Sections = {}): Configuration {
  return configurationSchema.parse({
    features: { ...over.features },
    generator: {
      hidden: 32,
      predictorHidden: 16,
      members: 1,
      noiseWidth: 4,
      epochs: 4,
      batchSize: 32,
      transport: { iterations: 5 },
      ...over.generator,
    },
    head: { samplesPerClass: 20, iterations: 20, ...over.head },
    validation: { folds: 1, ...over.validation, search: { ...noSearch, ...over.validation?.search } },
  });
}
