/** How the bias on unseen classes came about, and how sure that choice is. */
import { z } from 'zod';
import { enoughValidationClasses } from '../../core/bundle/calibration-caution.js';
import type { Configuration } from '../configuration.js';
import type { Selection } from '../selection/search.js';

export const biasOriginSchema = z.discriminatedUnion('kind', [
  /** `plausible`: biases whose mean H on validation classes is within half a point of the best. */
  z.object({
    kind: z.literal('chosen'),
    plausible: z.tuple([z.number(), z.number()]),
    /** What the choice rests on: seen classes that played unseen, unseen classes that competed in each fold, the best bias of each. Older bundles do not say. */
    basis: z
      .object({ heldOut: z.number(), competing: z.number(), foldBiases: z.array(z.number()).min(1) })
      .optional(),
  }),
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
  const { plausible, heldOut, classes: competing, foldBiases } = bias;
  return {
    kind: 'chosen',
    plausible: [...plausible],
    basis: { heldOut, competing, foldBiases: [...foldBiases] },
  };
}

/** Never "-0.000". */
export function biasInDigits(bias: number, digits = 3): string {
  return (Number(bias.toFixed(digits)) + 0).toFixed(digits); // -0 + 0 is 0
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
      const [low, high] = origin.plausible.map((bias) => biasInDigits(bias, 2));
      // With few classes H falls in steps, and a single value may stand out.
      const range = low === high ? `${low} alone` : `any from ${low} to ${high}`;
      return `chosen on validation classes, where ${range} is within half a point of H${basisInWords(origin.basis)}`;
    }
  }
}

/** The range says how flat H is near its top. How many classes there were, and how far folds are apart, says whether other classes would have chosen likewise. */
function basisInWords(basis: Extract<BiasOrigin, { kind: 'chosen' }>['basis']): string {
  if (!basis) return '';
  const { heldOut, competing, foldBiases } = basis;
  const held = `${heldOut} held-out ${heldOut === 1 ? 'class' : 'classes'}`;
  const few = heldOut < enoughValidationClasses ? ', too few to be sure' : '';
  const among = `${competing} unseen competing in each fold`;
  const [low, high] = [Math.min(...foldBiases), Math.max(...foldBiases)].map((bias) => biasInDigits(bias, 2));
  const folds = foldBiases.length === 1 ? 'a single fold' : `best of single folds ${low} to ${high}`;
  return ` (${held}${few}; ${among}; ${folds})`;
}
