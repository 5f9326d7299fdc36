import { z } from 'zod';
import { backboneIdentitySchema } from '../backbone/identity.js';

/**
 * manifest.json: everything about a saved model that is not bulk numbers. It names every other file with its hash, and
 * carries a digest of its own, so that a truncated or altered bundle is told from a good one before it is used.
 */
export const bundleFormatVersion = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const finite = z.number().refine(Number.isFinite);

export const attributeDescriptionSchema = z.object({
  name: z.string().min(1),
  minimum: finite.describe('Smallest value over the seen classes.'),
  maximum: finite.describe('Largest value over the seen classes.'),
});

export const classDescriptionSchema = z.object({
  name: z.string().min(1),
  seen: z.boolean().describe('True when training had pictures of it.'),
  attributes: z
    .array(finite)
    .describe('In the order of `attributes`, in the units in which the dataset gave them.'),
});

/** Attribute values as given -> what the generator takes. See core/head/attribute-encoder.ts. */
export const attributeEncodingSchema = z.object({
  kind: z.enum(['standardised', 'unit-length']),
  mean: z.array(finite),
  deviation: z.array(finite),
  clip: finite.positive(),
});

/** CNN features as extracted -> what the generator makes; the numbers are in features.onnx. */
export const featureMapSchema = z.object({
  kind: z.enum(['whitened', 'minmax']),
  width: z.int().positive().describe('Values per picture as the backbone gives them.'),
  mappedWidth: z.int().positive().describe('Values per picture as generator and head know them.'),
  power: finite.positive().describe('Exponent on each value before anything else; 1 leaves it alone.'),
  shrinkage: finite
    .nonnegative()
    .describe('Added to the within-class covariance, in units of its mean eigenvalue.'),
});

export const headDescriptionSchema = z.object({
  unseenBias: finite.describe('Added to the score of every unseen class; chosen on validation classes.'),
  unseenBiasRange: z
    .tuple([finite, finite])
    .describe('From all seen to all unseen: the range that makes sense.'),
  regularisation: finite.nonnegative().describe('L2 weight with which the rows were fitted.'),
  samplesPerClass: z.int().positive().describe('Synthetic features for each unseen class.'),
  noiseWidth: z.int().positive(),
  temperature: finite.positive().describe('Length of a row as the head sees it.'),
});

export const fileEntrySchema = z.object({ bytes: z.int().nonnegative(), sha256 });

export const manifestSchema = z.object({
  formatVersion: z.literal(bundleFormatVersion),
  producer: z.string(),
  method: z.string(),
  seed: z.int(),
  configuration: z.record(z.string(), z.unknown()).describe('Every training setting, defaults filled in.'),
  dataset: z.object({ name: z.string(), fingerprint: sha256 }),
  backbone: backboneIdentitySchema.nullable(),
  attributes: z.array(attributeDescriptionSchema).min(1),
  classes: z.array(classDescriptionSchema).min(2),
  attributeEncoding: attributeEncodingSchema,
  featureMap: featureMapSchema,
  head: headDescriptionSchema,
  metrics: z.record(z.string(), z.unknown()).describe('The evaluation on the test rows at training time.'),
  files: z.record(z.string().regex(/^[a-z0-9.-]+$/), fileEntrySchema),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type AttributeEncoding = z.infer<typeof attributeEncodingSchema>;
