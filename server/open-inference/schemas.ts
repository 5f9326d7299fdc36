/**
 * The Open Inference Protocol (KServe v2) as schemas, with its binary tensor extension. Parameters that are not ours are
 * let through, as the protocol wants: clients send theirs to every server.
 */
import { z } from 'zod';
import { precisions } from '../../core/backbone/catalogue.js';
import { maxPredictions } from '../contract/schemas.js';

export const modelName = 'unseen';
export const extensions = ['binary_tensor_data'];
export const outputNames = [
  ...(['class', 'probability', 'seen', 'verdict', 'novelty'] as const),
  ...(['score', 'group', 'group_probability'] as const),
] as const;
export type OutputName = (typeof outputNames)[number];

const dimension = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const namesSchema = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === 'string' ? [given] : given))
  .meta({ type: 'array', items: { type: 'string' } });

const inputSchema = z.object({
  name: z
    .enum(['image', 'features'])
    .describe('`image`: pictures (JPEG, PNG, WebP). `features`: rows as the backbone would give them.'),
  shape: z.array(dimension).min(1).max(2).describe('[n] or [n, 1] for pictures, [n, width] for features.'),
  datatype: z.enum(['BYTES', 'FP32']).describe('BYTES for pictures, FP32 for features.'),
  parameters: z
    .looseObject({
      binary_data_size: z
        .int()
        .min(0)
        .optional()
        .describe('Bytes of this tensor behind the JSON; takes the place of `data`.'),
    })
    .optional(),
  // Not looked into here: a check of each of two million numbers by a schema would stop the event loop for seconds.
  data: z
    .unknown()
    .optional()
    .meta({ type: 'array', items: { type: ['string', 'number', 'array'] } })
    .describe('Pictures in base64, or numbers; flat or nested, in row-major order.'),
});

const requestedOutputSchema = z.object({
  name: z.enum(outputNames),
  parameters: z
    .looseObject({ binary_data: z.boolean().optional().describe('This output behind the JSON, as bytes.') })
    .optional(),
});

export const inferRequestSchema = z.object({
  id: z.string().max(256).optional().describe('Comes back in the answer.'),
  parameters: z
    .looseObject({
      top_k: z.int().min(1).max(maxPredictions).default(5).describe('How many classes for each row.'),
      unseen_bias: z
        .number()
        .optional()
        .describe("Added to the scores of unseen classes instead of the model's own bias."),
      unknown_at: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe("The novelty from which the verdict is unknown, instead of the server's own."),
      classes: namesSchema
        .optional()
        .describe('Only these classes may answer; probabilities are over them alone.'),
      group: namesSchema.optional().describe('Only classes of this group, or of these, may answer.'),
      min_probability: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe('Less likely classes are left out: rows are filled up with empty names of probability 0.'),
      scores_of: namesSchema
        .optional()
        .describe('Also answer the probability of these classes, in the output `score` [n, classes].'),
      group_by: z
        .string()
        .optional()
        .describe(
          'A family of groups: also answer the probabilities summed over each, in `group` and `group_probability`.',
        ),
      binary_data_output: z
        .boolean()
        .default(false)
        .describe('All outputs behind the JSON, as bytes, unless an output says otherwise.'),
    })
    .prefault({}),
  inputs: z.array(inputSchema).length(1, 'exactly one input is expected: `image` or `features`'),
  outputs: z.array(requestedOutputSchema).max(outputNames.length).optional().describe('All, when left out.'),
});

const tensorSchema = z.object({
  name: z.string(),
  datatype: z.string(),
  shape: z.array(z.int()).describe('-1 where any number will do.'),
});

export const inferResponseSchema = z.object({
  model_name: z.string(),
  model_version: z.string(),
  id: z.string().optional(),
  parameters: z.object({
    registry_revision: z
      .int()
      .describe('Of the class registry; every row is of this revision or a later one.'),
    calibrated: z
      .boolean()
      .describe(
        'Whether probabilities are frequencies; with an unseen_bias other than the usual one they are not.',
      ),
  }),
  outputs: z.array(
    z.object({
      name: z.enum(outputNames),
      datatype: z.enum(['BYTES', 'FP32', 'BOOL']),
      shape: z.array(z.int()).describe('[n, k], most likely class first; [n, 1] for verdict and novelty.'),
      parameters: z.object({ binary_data_size: z.int() }).optional(),
      data: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
    }),
  ),
});

export const serverMetadataSchema = z.object({
  name: z.string(),
  version: z.string(),
  extensions: z.array(z.string()),
});

export const modelMetadataSchema = z.object({
  name: z.string(),
  versions: z.array(z.string()),
  platform: z.string(),
  inputs: z.array(tensorSchema).describe('Alternatives: a request has exactly one of them.'),
  outputs: z.array(tensorSchema),
  parameters: z
    .object({
      backbone: z.string().describe('The network that makes features of pictures.'),
      backbone_sha256: z.string().nullable().describe('Hash of its file.'),
      precision: z.enum(precisions).describe('In which numbers it computes on this server.'),
    })
    .describe('Which network runs here: servers on other processors may run another (--backbone-variant).'),
});

export const liveSchema = z.object({ live: z.boolean() });
export const readySchema = z.object({ ready: z.boolean() });
export const modelReadySchema = z.object({ name: z.string(), ready: z.boolean() });
export const protocolErrorSchema = z.object({
  error: z.string().describe('What is wrong and what to change.'),
});

export type InferRequest = z.output<typeof inferRequestSchema>;
export type InferInput = InferRequest['inputs'][number];
export type InferResponse = z.infer<typeof inferResponseSchema>;
export type ModelMetadata = z.infer<typeof modelMetadataSchema>;
