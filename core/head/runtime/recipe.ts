import { z } from 'zod';
import type { Manifest } from '../../bundle/manifest.js';
import { Failure } from '../../failures.js';

/** The settings with which the bundle's head was fitted: a class added at runtime is fitted with the same. */
export interface Recipe {
  readonly seed: number;
  readonly temperature: number;
  readonly regularisation: number;
  readonly samplesPerClass: number;
  readonly syntheticWeight: number;
  readonly syntheticSeen: boolean;
  readonly residual: number;
  readonly prior: 'prototypes' | 'zero';
  readonly seenClasses: number;
}

const configurationSchema = z.object({
  head: z.object({
    syntheticWeight: z.number().positive(),
    syntheticSeen: z.boolean(),
    residual: z.number().min(0),
    prior: z.enum(['prototypes', 'zero']),
  }),
});

export function recipeOf({ configuration, head, seed, classes }: Manifest): Recipe {
  const read = configurationSchema.safeParse(configuration);
  if (!read.success) {
    const [first] = read.error.issues;
    throw new Failure(
      'bundle-invalid',
      `The bundle cannot take new classes: its configuration is wrong at ${first.path.join('.')}: ${first.message}.`,
    );
  }
  const { temperature, regularisation, samplesPerClass } = head;
  const seenClasses = classes.filter(({ seen }) => seen).length;
  return { ...read.data.head, seed, temperature, regularisation, samplesPerClass, seenClasses };
}
