import { z } from 'zod';

/**
 * What a bundle knows of how far its answers can be trusted, all of it measured on validation classes (trainer/confidence/). Null in bundles
 * that were made before this was measured, or that had no classes to validate on: their answers say that they are not calibrated.
 */
const finite = z.number().refine(Number.isFinite);
const share = finite.min(0).max(1);

/** See core/head/novelty/: how unlike everything known a picture looks. */
const noveltySchema = z.object({
  withinShares: z
    .array(finite.positive())
    .describe('Each gives a likelihood ratio: which part of the spread within classes is counted.'),
  weights: z
    .object({
      entropy: finite,
      score: finite,
      ratios: z.array(finite),
      unseenShare: finite.default(0).describe('Of the probability that classes known by attributes have.'),
      rowLength: finite.default(0).describe('Of the length of the head row of the best class.'),
      residual: finite.default(0).describe('Of what lies outside of the directions in which classes differ.'),
    })
    .describe('Of a logistic regression that tells pictures of classes left out from those of known ones.'),
  within: z.array(finite.positive()).describe('Variance of pictures around their class, by direction.'),
  between: z.array(finite.positive()).describe('Variance of classes around their mean, by direction.'),
  deviation: z
    .array(finite.positive())
    .describe('Variance of classes around where their attributes put them, by direction.'),
  meanLength: finite.positive().describe('Of the class means of feature rows of length 1.'),
  placement: z
    .object({ scale: z.array(finite), shift: z.array(finite) })
    .optional()
    .describe(
      'From where the head row of a class points to where its pictures lie, by direction. Left out in older bundles: they are taken to lie there.',
    ),
  rowsPerClass: finite.positive().describe('Training rows of a seen class, on average.'),
  far: z
    .object({ edge: finite, scale: finite.positive(), weight: finite.nonnegative() })
    .describe(
      'Pictures beyond the edge of all known ones count as new, whatever class they come nearest to.',
    ),
  knownScores: z
    .array(finite)
    .min(2)
    .describe('Scores of pictures of known classes, at the levels of core/head/novelty/scale.ts.'),
});

/** See core/fitting/recognition.ts: what share of its pictures a class known by attributes alone will be recognised by. */
const recognitionSchema = z.object({
  constant: finite,
  promise: finite,
  nearness: finite,
  crowding: finite.default(0),
  attributeScale: z
    .array(finite.nonnegative())
    .default([])
    .describe('Encoded attributes times this are what crowding measures distances in.'),
  alike: z
    .object({ classes: z.array(z.string()), coefficients: z.array(finite) })
    .optional()
    .describe(
      'Held-out classes, and what each says of classes with similar attributes. Left out where they say nothing, and in older bundles.',
    ),
  error: finite.nonnegative().describe('Mean difference from what held-out classes reached.'),
  classes: z.int().positive().describe('Held-out classes that it was fitted on.'),
});

export const confidenceSchema = z.object({
  sharpness: finite
    .positive()
    .describe('Scores are multiplied by it before the softmax, so that probabilities are frequencies.'),
  unseenSharpness: finite
    .positive()
    .optional()
    .describe('The same where the best class is known by its attributes alone; left out: no other.'),
  calibrationError: z
    .object({ all: share, seen: share, unseen: share })
    .describe('Expected calibration error on validation classes, 15 bins.'),
  novelty: noveltySchema.nullable(),
  recognition: recognitionSchema.nullable(),
});

export type Confidence = z.infer<typeof confidenceSchema>;
export type NoveltyDescription = z.infer<typeof noveltySchema>;
