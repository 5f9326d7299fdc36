import { z } from 'zod';

/**
 * Which network made the features, and how a picture is prepared for it. It travels with the dataset and the bundle,
 * so that a server can refuse to feed a head with features of another network.
 */
export const backboneIdentitySchema = z.object({
  name: z.string().min(1).describe('Catalogue name, such as "resnet50-imagenet".'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .describe(
      'Hash of the ONNX file that made the features; null when the features were given, not extracted.',
    ),
  featureWidth: z.int().positive().describe('Number of values per picture.'),
  preprocessing: z
    .object({
      width: z.int().positive(),
      height: z.int().positive(),
      fit: z.enum(['squash', 'crop']),
      kernel: z.enum(['nearest', 'linear', 'cubic', 'lanczos3']),
      channelOrder: z.enum(['rgb', 'bgr']),
      layout: z.enum(['nhwc', 'nchw']),
      scale: z.number().describe('Factor on 0..255 values before the mean is subtracted.'),
      mean: z.tuple([z.number(), z.number(), z.number()]).describe('In channel order.'),
      standardDeviation: z.tuple([z.number(), z.number(), z.number()]).describe('In channel order.'),
    })
    .nullable()
    .describe('Null when the features were given and nothing is known of the pictures.'),
});

export type BackboneIdentity = z.infer<typeof backboneIdentitySchema>;
