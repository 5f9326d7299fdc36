/** How the bias on unseen classes came about, and how sure that choice is. */
import { z } from 'zod';
import type { Configuration } from '../configuration.js';
import type { Selection } from '../selection/search.js';

export const biasOriginSchema = z.discriminatedUnion('kind', [
  /** `plausible`: biases whose mean H on validation classes is within half a point of the best. */
  z.object({ kind: z.literal('chosen'), plausible: z.tuple([z.number(), z.number()]) }),
  z.object({ kind: z.literal('given') }),
  z.object({ kind: z.literal('not-chosen') }),
]);
export type BiasOrigin = z.infer<typeof biasOriginSchema>;

export function biasOriginOf(
  { validation }: Pick<Configuration, 'validation'>,
  { bias, trials }: Pick<Selection, 'bias' | 'trials'>,
): BiasOrigin {
  if (validation.unseenBias !== null) return { kind: 'given' };
  if (trials.length === 0) return { kind: 'not-chosen' };
  return { kind: 'chosen', plausible: [...bias.plausible] };
}

/** `null`: a bundle that does not say. */
export function biasOriginInWords(origin: BiasOrigin | null): string {
  if (origin === null) return 'the bundle does not say how it was chosen';
  switch (origin.kind) {
    case 'given':
      return 'given, not chosen';
    case 'not-chosen':
      return 'not chosen: there are too few seen classes to validate on';
    case 'chosen': {
      const [low, high] = origin.plausible.map((bias) => bias.toFixed(2));
      return `chosen on validation classes, where any from ${low} to ${high} is within half a point of H`;
    }
  }
}
