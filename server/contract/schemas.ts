/**
 * The HTTP contract as schemas: requests are checked against them, the OpenAPI document is made from them, the client's
 * types are inferred from them, and tests hold answers against them.
 */
import { z } from 'zod';
import { failureCodes } from '../../core/failures.js';
import { verdicts } from '../../core/head/verdict.js';

const oneValue = 'one value is expected, and the parameter only once';

const wholeText = (min: number, max: number) =>
  z
    .string(oneValue)
    .regex(/^\d+$/, `a whole number from ${min} to ${max} is expected`)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max });

const decimalText = z
  .string(oneValue)
  .regex(/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/, 'a number is expected')
  .transform(Number);

const shareExpected = 'a number from 0 to 1 is expected';
const shareText = z
  .string(oneValue)
  .regex(/^(\d+|\d*\.\d+)([eE][-+]?\d+)?$/, shareExpected)
  .transform(Number)
  .pipe(z.number().min(0, shareExpected).max(1, shareExpected))
  .meta({ type: 'number', minimum: 0, maximum: 1 });

/** One or several: `a,b`, or the parameter repeated. Names are looked up later, because they may have commas themselves. */
const namesText = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === 'string' ? [given] : given))
  .meta({ type: 'array', items: { type: 'string' } });

export const maxPredictions = 1000;

export const classifyQuerySchema = z.strictObject({
  topK: wholeText(1, maxPredictions).default(5).describe('How many classes to answer, most likely first.'),
  explain: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe(
      'Also answer the attributes read from the picture, and what speaks for and against each class.',
    ),
  classes: namesText
    .optional()
    .describe(
      'Only these may answer: `a,b`, or the parameter repeated. Probabilities are over them alone. A name with a comma in it is written as it is.',
    ),
  group: namesText
    .optional()
    .describe('Only classes of this group, or of these groups, may answer; with `classes`, those of both.'),
  minProbability: shareText
    .optional()
    .describe('Leave out of `predictions` and `rollUp` what is less likely. Nothing may be left.'),
  scoresOf: namesText
    .optional()
    .describe('Also answer the probability of these classes, however unlikely, in `scores`.'),
  groupBy: z
    .string()
    .optional()
    .describe('A family of groups: also answer, in `rollUp`, the probabilities summed over each of them.'),
  unseenBias: decimalText
    .pipe(z.number())
    .optional()
    .describe(
      "Added to the scores of unseen classes instead of the model's own bias. GET /attributes names the range that makes sense.",
    ),
  unknownAt: shareText
    .optional()
    .describe(
      "The novelty from which the verdict is unknown, instead of the server's own (0.95): 0.99 calls 1 % of the pictures of known classes unknown.",
    ),
});

export const predictionSchema = z.object({
  class: z.string(),
  probability: z
    .number()
    .min(0)
    .max(1)
    .describe('Where `calibrated` is true, of pictures answered with 0.7, some 70 % are right.'),
  seen: z.boolean().describe('True when training had pictures of the class.'),
  runtime: z.boolean().describe('True when the class was added while serving.'),
});

export const scoreSchema = predictionSchema.extend({
  rank: z.int().min(1).describe('1: the likeliest of the classes that may answer.'),
});

export const rollUpSchema = z.object({
  family: z.string(),
  groups: z
    .array(z.object({ group: z.string(), probability: z.number().min(0).max(1) }))
    .describe('Likeliest first, `topK` at most.'),
  ungrouped: z
    .number()
    .min(0)
    .max(1)
    .describe('Probability of the classes that are in none of the groups of the family.'),
});

export const evidenceSchema = z.object({
  attribute: z.string(),
  read: z.number().describe('As read from the picture.'),
  expected: z.number().describe('As the class has it.'),
  evidence: z.number().describe('Positive: speaks for the class, compared with classes on average.'),
  filled: z
    .literal(true)
    .optional()
    .describe('The class does not say it: it was filled in from what the class does say.'),
});

export const restsOnSchema = z
  .object({
    training: z.boolean().describe('True when training had pictures of the class, more than a few.'),
    attributes: z.int().describe('How many of its attributes are known.'),
    pictures: z
      .int()
      .describe(
        'How many pictures of it were added while serving, and are used; with those that training had of a few-shot class.',
      ),
  })
  .describe('What is known of the class: what an answer that names it rests on.');

export const explanationSchema = z.object({
  attributes: z
    .array(
      z.object({
        attribute: z.string(),
        value: z
          .number()
          .describe('In the units in which attributes are given, within the range that classes have.'),
        salience: z.number().describe('How far from usual, in standard deviations over the classes.'),
        certainty: z
          .number()
          .min(0)
          .max(1)
          .nullable()
          .describe(
            'The part of the differences between classes that can be read from a picture, measured on classes left out: 1 all, 0 nothing. null: not measured.',
          ),
        present: z
          .boolean()
          .nullable()
          .describe('Whether there is more of it than usual; null where that is not sure.'),
      }),
    )
    .describe(
      'What the model reads from the picture: what is surely present, then what is surely absent, then the rest; the most unusual first.',
    ),
  sentence: z.string().describe('What is surely present and absent, in words.'),
  classes: z.array(
    z.object({
      class: z.string(),
      restsOn: restsOnSchema,
      for: z
        .array(evidenceSchema)
        .describe(
          'What it has before what it lacks, one attribute of each family. Empty for a class of which no attribute is known.',
        ),
      against: z.array(evidenceSchema),
      sentence: z.string().describe('Both lists in words; empty for a class of which no attribute is known.'),
    }),
  ),
});

export const modelSchema = z.object({
  version: z.string().describe('Digest of the bundle that answered.'),
  name: z.string().describe('The dataset that it was trained on.'),
});

export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('What is wrong and what to change.'),
  code: z.enum(failureCodes),
  requestId: z.string().optional(),
  errors: z
    .array(z.object({ pointer: z.string().describe('JSON pointer (RFC 6901).'), detail: z.string() }))
    .optional(),
});

const answerSchema = z.object({
  predictions: z.array(predictionSchema),
  scores: z.array(scoreSchema).optional().describe('Of the classes that `scoresOf` names, in its order.'),
  rollUp: rollUpSchema.optional().describe('With `groupBy`.'),
  verdict: z
    .enum(verdicts)
    .nullable()
    .describe(
      'unknown: it looks like none of the classes. unsure: like something known, but no class has half of the probability. known: otherwise. null: the model was not measured for it.',
    ),
  novelty: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe(
      'The share of pictures of known classes that look less new than this one: 0.95 and above is what 5 % of them have. null: the model was not measured for it.',
    ),
  calibrated: z
    .boolean()
    .describe(
      'Whether probabilities are frequencies; false for models from before that was measured, and with an `unseenBias` other than the usual one.',
    ),
  explanation: explanationSchema.optional(),
});

export const classifyResponseSchema = answerSchema.extend({
  model: modelSchema,
  registryRevision: z.int().describe('Revision of the class registry that this answer belongs to.'),
  requestId: z.string(),
});

export const classifyManyResponseSchema = z.object({
  pictures: z
    .array(
      z.union([
        answerSchema.extend({ name: z.string() }),
        z.object({ name: z.string(), problem: problemSchema }),
      ]),
    )
    .describe('In the order in which they came. A picture that cannot be used does not spoil the others.'),
  model: modelSchema,
  registryRevision: z.int(),
  requestId: z.string(),
});

export const attributesResponseSchema = z.object({
  attributes: z.array(
    z.object({
      name: z.string(),
      minimum: z.number().describe('Smallest value over the seen classes.'),
      maximum: z.number().describe('Largest value over the seen classes.'),
      description: z.string().optional().describe('What it means, in words, if the dataset says so.'),
      unit: z.string().optional().describe('In which its values are.'),
      family: z.string().optional().describe('What it belongs to.'),
    }),
  ),
  unseenBias: z.object({
    default: z.number(),
    minimum: z.number().describe('Here and below, hardly any picture goes to an unseen class.'),
    maximum: z.number().describe('Here and above, hardly any picture goes to a seen class.'),
  }),
  model: modelSchema,
});

export const stateResponseSchema = z.object({
  status: z
    .enum(['ok', 'degraded', 'unavailable'])
    .describe('degraded: pictures are answered, but something else does not work (see reasons).'),
  reasons: z.array(z.string()),
});

export const readinessResponseSchema = stateResponseSchema.extend({
  serving: z.object({
    provider: z.string().describe('Where the networks run; another than was asked for when that is missing.'),
    workers: z.int().describe('Inference workers that there should be.'),
    workersReady: z.int(),
    queued: z.int().describe('Pictures admitted and not yet answered.'),
    queueLimit: z.int().describe('Most pictures admitted at a time; past it 429.'),
    registryRevision: z.int().describe('Revision of the class registry in the head that answers.'),
  }),
});

export const reloadResponseSchema = z.object({
  version: z.string().describe('Digest of the bundle that serves now.'),
  changed: z.boolean().describe('False when the bundle was the same as before.'),
});

export type ClassifyResponse = z.infer<typeof classifyResponseSchema>;
export type ClassifyManyResponse = z.infer<typeof classifyManyResponseSchema>;
export type AttributesResponse = z.infer<typeof attributesResponseSchema>;
export type ReadinessResponse = z.infer<typeof readinessResponseSchema>;
export type ProblemResponse = z.infer<typeof problemSchema>;
export type ReloadResponse = z.infer<typeof reloadResponseSchema>;
