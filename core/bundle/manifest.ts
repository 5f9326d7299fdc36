import { z } from 'zod';
import { backboneIdentitySchema } from '../backbone/identity.js';
import { confidenceSchema } from './confidence-description.js';

/**
 * manifest.json: everything about a saved model that is not bulk numbers. It names every other file with its hash, and
 * carries a digest of its own, so that a truncated or altered bundle is detected before it is used.
 */
export const bundleFormatVersion = 2; // core/bundle/upgrade.ts reads older ones

export const attributeEncodingKinds = ['standardised', 'unit-length'] as const;
export const featureMapKinds = ['whitened', 'minmax'] as const;
export const headPriors = ['prototypes', 'zero'] as const;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const finite = z.number().refine(Number.isFinite);

/** What an attribute is, for people; bundles from before have none of it. */
export const attributeNoteSchema = z.object({
  description: z.string().optional().describe('What it says, in words.'),
  unit: z.string().optional().describe('In which its values are.'),
  family: z.string().optional().describe('What it belongs to, where its name does not say.'),
});

export type AttributeNote = z.infer<typeof attributeNoteSchema>;

const attributeDescriptionSchema = z.object({
  name: z.string().min(1),
  minimum: finite.describe('Smallest value over the seen classes.'),
  maximum: finite.describe('Largest value over the seen classes.'),
  ...attributeNoteSchema.shape,
});

const classDescriptionSchema = z.object({
  name: z.string().min(1),
  seen: z
    .boolean()
    .describe(
      'True when training had pictures of it, and learnt from it what attributes mean; false for a few-shot class.',
    ),
  fewShot: z
    .int()
    .positive()
    .optional()
    .describe(
      'Pictures that training had of a few-shot class, which counts as unseen; left out for all others.',
    ),
  attributes: z
    .array(finite)
    .describe('In the order of `attributes`, in the units in which the dataset gave them.'),
});

/** Attribute values as given -> the generator's input. See core/head/attribute-encoder.ts. */
const attributeEncodingSchema = z.object({
  kind: z.enum(attributeEncodingKinds),
  mean: z.array(finite),
  deviation: z.array(finite),
  clip: finite.positive(),
});

/** CNN features as extracted -> what the generator imitates; the numbers are in features.onnx. */
const featureMapSchema = z.object({
  kind: z.enum(featureMapKinds),
  width: z.int().positive().describe('Values per picture as the backbone gives them.'),
  mappedWidth: z.int().positive().describe('Values per picture as generator and head know them.'),
  power: finite.positive().describe('Exponent on each value before anything else; 1 leaves it alone.'),
  shrinkage: finite
    .nonnegative()
    .describe('Added to the within-class covariance, in units of its mean eigenvalue.'),
});

/** What labelled pictures of a class say beside its attributes: core/fitting/evidence.ts. */
const evidenceSchema = z.object({
  classSpread: finite
    .positive()
    .describe('Mean squared distance of a class from where its attributes put it, for classes left out.'),
  pictureSpread: finite
    .positive()
    .describe(
      'Mean squared distance of a picture from its class, as it counts; chosen on validation classes.',
    ),
  isotropicShare: finite
    .min(0)
    .max(1)
    .describe('The part of classSpread that is taken to be the same in every direction.'),
  halfBiasPictures: finite
    .positive()
    .describe('With so many pictures a class gets half of the bias on unseen classes.'),
});

/** How unlabelled pictures are assigned to classes: core/adaptation/adapt.ts. Chosen on validation classes by trainer/selection/assignment.ts. */
const assignmentSchema = z.object({
  epsilon: finite
    .positive()
    .describe(
      'Entropy of the assignment, in units of the cosine: too small, pictures are too sure of a class.',
    ),
  offset: finite.describe(
    'Added to the cosine of unseen classes beside their bias, since prototypes balance seen and unseen classes otherwise than head rows.',
  ),
  mistakes: finite
    .positive()
    .describe(
      'How many times as much new pictures of seen classes send to unseen ones as training rows say.',
    ),
  strength: finite
    .min(0)
    .max(1)
    .describe('As what share of a labelled picture an assigned one counts; 0: pictures gained nothing.'),
});

/** How the head's rows were fitted. A class added at runtime is fitted with the same settings: core/fitting. */
export const headDescriptionSchema = z.object({
  unseenBias: finite.describe(
    'Added to the score of every unseen class; chosen on validation classes, or as configured.',
  ),
  unseenBiasRange: z
    .tuple([finite, finite])
    .describe('From all seen to all unseen: the range that makes sense.'),
  unseenBiasSlope: finite
    .max(0)
    .default(0)
    .describe('How the bias changes with the logarithm of the number of unseen classes that compete.'),
  unseenBiasClasses: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('The number of competing unseen classes for which unseenBias was chosen; null: for any.'),
  regularisation: finite.nonnegative().describe('L2 weight with which the rows were fitted.'),
  samplesPerClass: z.int().positive().describe('Synthetic features for each unseen class.'),
  noiseWidth: z.int().positive(),
  temperature: finite
    .positive()
    .nullable()
    .describe('Length of a row as the head sees it; null where rows keep the length that they have.'),
  syntheticWeight: finite
    .positive()
    .describe('How much a synthesised class counts, with 1 for the average seen class.'),
  syntheticSeen: z.boolean().describe('Whether seen classes were synthesised too, beside their real rows.'),
  residual: finite
    .nonnegative()
    .describe('Share of real within-class variation that is added to synthetic features.'),
  prior: z.enum(headPriors).describe('What the rows are pulled toward: prototypes of the classes, or zero.'),
  realPrior: finite.min(0).max(1).default(0).describe("Share of a seen class's real mean in its prototype."),
  intercepts: z
    .boolean()
    .default(true)
    .describe('Whether each row has a constant of its own beside its weights; otherwise it is 0.'),
  evidence: evidenceSchema
    .nullable()
    .default(null)
    .describe('How much labelled pictures of a class count beside its attributes; null: not measured.'),
  assignment: assignmentSchema
    .nullable()
    .default(null)
    .describe('How unlabelled pictures are assigned to classes; null: not measured, usual values are used.'),
});

const fileEntrySchema = z.object({ bytes: z.int().nonnegative(), sha256 });

export const manifestSchema = z.object({
  formatVersion: z.literal(bundleFormatVersion),
  producer: z.string(),
  method: z.string(),
  seed: z.int(),
  configuration: z
    .record(z.string(), z.unknown())
    .describe(
      'Every training setting, defaults filled in: information, which no program but the trainer reads.',
    ),
  dataset: z.object({ name: z.string(), fingerprint: sha256 }),
  backbone: backboneIdentitySchema.nullable(),
  attributes: z.array(attributeDescriptionSchema).min(1),
  classes: z.array(classDescriptionSchema).min(2),
  attributeEncoding: attributeEncodingSchema,
  featureMap: featureMapSchema,
  head: headDescriptionSchema,
  confidence: confidenceSchema
    .nullable()
    .default(null)
    .describe('How far answers can be trusted; null: not measured, and answers are not calibrated.'),
  metrics: z.record(z.string(), z.unknown()).describe('The evaluation on the test rows at training time.'),
  adaptation: z
    .object({
      pictures: z.int().nonnegative(),
      noneShare: finite.describe('Share of the pictures that look like none of the classes.'),
      unseenShare: finite.describe('Estimated share of the pictures that are of unseen classes.'),
      classes: z.array(z.object({ name: z.string().min(1), pictures: finite, moved: finite })),
    })
    .nullable()
    .default(null)
    .describe('The unlabelled pictures that unseen classes were moved to; null: none.'),
  files: z.record(z.string().regex(/^[a-z0-9.-]+$/), fileEntrySchema),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type AttributeEncoding = z.infer<typeof attributeEncodingSchema>;
