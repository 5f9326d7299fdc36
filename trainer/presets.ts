import type { z } from 'zod';
import type { configurationSchema } from './configuration.js';

/** Searches nothing: the settings are used as configured, and only the bias is chosen. */
export const noSearch = {
  learningRate: [],
  epochs: [],
  beta: [],
  gammaSquared: [],
  regularisation: [],
  samplesPerClass: [],
};

type Preset = z.input<typeof configurationSchema>;

/** Ready-made settings; whatever a preset leaves out is the default. */
export const presets = {
  /** What validation classes chose on CUB: the defaults, whatever they become for other data. */
  cub: {
    validation: {
      search: noSearch,
    },
  },
  /**
   * The paper's own configuration, with nothing of ours that it does not have. What the paper leaves open is listed in
   * docs/experiments.md, with what we took.
   */
  paper: {
    features: { kind: 'minmax', power: 1 },
    generator: {
      hidden: 4096,
      predictorHidden: 4096,
      closedForm: 'none',
      members: 1,
      noiseWidth: null,
      attributeEncoding: 'unit-length',
      batchSize: 128,
      learningRate: 1e-3,
      schedule: 'constant',
      weightDecay: 0,
      attributeDropout: 0,
      batchLabels: 'independent',
      outputBias: 'zero',
      transportProbability: 0.9,
      supervisedForm: 'paper',
      discrimination: 0,
      beta: 0.05,
      gammaSquared: 0.5,
      regulariseUnseen: true,
      epochs: 15,
      transport: { solver: 'ipot', lambda: 0.5, iterations: 50, innerIterations: 1 },
    },
    head: {
      samplesPerClass: 500,
      syntheticWeight: null,
      syntheticSeen: true,
      residual: 0,
      temperature: null,
      prior: 'zero',
      regularisation: 1e-4,
      intercepts: true,
    },
    fewShot: { maxRows: 0 },
    validation: {
      folds: 1,
      classFraction: 1 / 3, // CUB's 150 seen classes: 100 to train on, 50 to validate
      unseenBias: 0,
      search: noSearch,
    },
    experiments: {
      standardHead: 'separate',
      transductive: { algorithm: 'paper' },
    },
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;
