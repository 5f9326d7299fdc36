/** The HTTP contract of learning from unlabelled pictures: see schemas.ts. */
import { z } from 'zod';

/** A sample of the classified pictures; others hold pictures that were sent. */
export const trafficPoolName = 'traffic';

export const poolNameSchema = z
  .string('the name of a pool is expected')
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'up to 64 of a-z, 0-9, ".", "_" and "-" are expected');

export const newAdaptationSchema = z.strictObject({
  pool: poolNameSchema
    .default(trafficPoolName)
    .describe(
      `Which pictures to learn from: \`${trafficPoolName}\`, the sample of classified ones (\`--learn-from-traffic\`), or a pool that was sent.`,
    ),
});

export const adaptQuerySchema = z.strictObject({
  dryRun: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('Change nothing; answer what would change.'),
});

const share = z.number().min(0).max(1);

const classFindingSchema = z.object({
  name: z.string(),
  seen: z.boolean().describe('True when training had pictures of it: it receives pictures, and never moves.'),
  pictures: z.number().describe('How many of the pictures it receives; a picture may be shared out.'),
  byMistake: z.number().describe('How many of them pictures of seen classes explain, which resemble it.'),
  moved: z.number().describe('How far it would move: 1 - cosine.'),
});

const adaptationReportSchema = z.object({
  pool: z.string(),
  pictures: z.int(),
  classes: z.array(classFindingSchema).describe('Those that receive pictures or move, most pictures first.'),
  movedClasses: z.int(),
  mass: z
    .object({ seen: share, unseen: share, none: share })
    .describe('Which share of the pictures is of seen classes, of unseen ones, and of none of these.'),
  none: z.array(z.string()).describe('Ids of pictures that look like none of the classes, 500 at most.'),
  expected: z
    .object({ before: z.number(), after: z.number() })
    .nullable()
    .describe(
      'Mean log-likelihood, in nats, of pictures of the pool that were held out: higher is better. Null where none were.',
    ),
  seenRows: z
    .object({ rows: z.int(), before: share, after: share })
    .describe('Which share of the training rows of seen classes is answered right.'),
  changedAnswers: z.object({
    pictures: z.int().describe('Pictures of the pool that would be answered differently.'),
    examples: z
      .array(z.object({ id: z.string(), before: z.string(), after: z.string() }))
      .describe('The first 500 of them.'),
    lastDay: z
      .object({ pictures: z.int(), changed: z.int() })
      .nullable()
      .describe('Of the pictures classified in the last 24 hours, estimated from the sample.'),
  }),
  drift: z
    .object({ pool: z.number(), training: z.number(), ratio: z.number() })
    .nullable()
    .describe(
      'Mean distance of the pictures from the middle of the training rows, beside that of these rows; a ratio above 1.3 is warned of.',
    ),
  warnings: z.array(z.string()),
  isRecommended: z
    .boolean()
    .describe('Whether held-out pictures fit better, nothing warns, and `--adapt-every` would commit it.'),
});

export const dryRunAdaptationSchema = adaptationReportSchema.extend({
  dryRun: z.literal(true),
  registryRevision: z.int(),
});

const madeBySchema = z
  .string()
  .nullable()
  .describe('The name of the key that did it; null when it is not known.');

const adaptationSummarySchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  by: madeBySchema,
  revision: z.int().describe('Revision of the registry that made it.'),
  active: z.boolean().describe('Whether pictures are answered with it.'),
  undone: z.object({ at: z.iso.datetime(), by: madeBySchema, revision: z.int() }).nullable(),
  pool: z.string(),
  pictures: z.int(),
  movedClasses: z.int(),
});

export const adaptationSchema = adaptationSummarySchema.extend({
  report: adaptationReportSchema,
  registryRevision: z.int(),
});

export const adaptationListSchema = z.object({
  adaptations: z.array(adaptationSummarySchema).describe('Newest first.'),
  registryRevision: z.int(),
});

const poolSchema = z.object({
  name: z.string(),
  pictures: z.int(),
  unusable: z.int().describe('Pictures whose features another network made; they are not used.'),
  oldest: z.iso.datetime().nullable(),
  newest: z.iso.datetime().nullable(),
});

export const poolListSchema = z.object({
  pools: z.array(poolSchema),
  learnFromTraffic: z
    .int()
    .describe('Most classified pictures whose features are kept (`--learn-from-traffic`); 0: none are.'),
  poolDays: z.number().describe('After so many days features of a picture are forgotten.'),
});

export const poolDetailSchema = poolSchema.extend({
  answered: z
    .array(z.object({ class: z.string(), pictures: z.int() }))
    .describe('By the likeliest class at the time when each came.'),
});

export const pooledSchema = z.object({
  name: z.string(),
  pictures: z.int().describe('How many the pool has now.'),
  added: z
    .array(
      z.object({
        name: z.string().describe('As the file was called.'),
        id: z.string().describe('Of the features; the same picture has the same id.'),
        class: z.string().describe('The likeliest class now.'),
        probability: z.number(),
      }),
    )
    .describe('In the order in which they came.'),
});

export type AdaptationReportResponse = z.infer<typeof adaptationReportSchema>;
export type DryRunAdaptationResponse = z.infer<typeof dryRunAdaptationSchema>;
export type AdaptationResponse = z.infer<typeof adaptationSchema>;
export type AdaptationListResponse = z.infer<typeof adaptationListSchema>;
export type PoolListResponse = z.infer<typeof poolListSchema>;
export type PoolDetailResponse = z.infer<typeof poolDetailSchema>;
export type PooledResponse = z.infer<typeof pooledSchema>;
