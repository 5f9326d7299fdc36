/** The HTTP contract of the classes: see schemas.ts. */
import { z } from 'zod';
import { flag, maxClassesPerRequest, nameSchema, wholeNumberParameter } from './fields.js';
import { groupBackupSchema } from './group-schemas.js';
import { restsOnSchema } from './schemas.js';

const attributesSchema = z
  .union(
    [z.array(z.number().nullable()), z.record(z.string(), z.number().nullable())],
    'a list of numbers in the order of GET /attributes, or an object of numbers by attribute, is expected',
  )
  .describe(
    'An object with all attributes by name or some of them, or a list of all in the order of GET /attributes. What is left out, or null, is not known and is filled in.',
  );

const likeSchema = z
  .string('the name of a class is expected')
  .describe('Another class, from which every attribute that is not given is taken.');

export const newClassSchema = z.strictObject({
  name: nameSchema,
  attributes: attributesSchema
    .optional()
    .describe('May be missing with `like`, or where example pictures come with the class.'),
  like: likeSchema.optional(),
});

export const newClassesSchema = z.strictObject({
  classes: z.array(newClassSchema).min(1, 'at least one class is expected').max(maxClassesPerRequest),
});

export const replacementSchema = z.strictObject({
  attributes: attributesSchema,
  like: likeSchema.optional(),
});

export const createQuerySchema = z.strictObject({
  dryRun: flag.describe('Change nothing; answer which classes the new ones would be confused with.'),
});

export const reloadQuerySchema = z.strictObject({
  dryRun: flag.describe('Change nothing; answer which stored classes the bundle could not use.'),
});

export const versionsQuerySchema = z.strictObject({
  limit: wholeNumberParameter(1, 1000).default(100).describe('Versions in an answer.'),
  before: wholeNumberParameter(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Only versions with a smaller number: the last one of the answer before.'),
});

export const removedQuerySchema = z.strictObject({
  limit: wholeNumberParameter(1, 1000).default(100).describe('Classes on a page.'),
  after: z.string().optional().describe('Only names behind this one: `next` of the page before.'),
});

export const importQuerySchema = z.strictObject({
  dryRun: flag.describe('Change nothing; answer what would be created or replaced, and what does not fit.'),
  replace: flag.describe('Replace classes that exist with other attributes, instead of refusing them.'),
  leaveOut: flag.describe(
    'Leave out what does not fit this model, instead of refusing it: examples of classes that another model had itself, such members of groups, and the attributes of classes that this model has itself, which keep their own and get the pictures.',
  ),
});

export const listQuerySchema = z.strictObject({
  kind: z.enum(['seen', 'unseen', 'runtime']).optional().describe('Only classes of this kind.'),
  limit: wholeNumberParameter(1, 1000).default(100).describe('Classes on a page.'),
  attributes: flag.describe('Also answer the attributes of each class.'),
  after: z.string().optional().describe('Only names behind this one: `next` of the page before.'),
});

export const classSchema = z.object({
  name: z.string(),
  seen: z.boolean().describe('True when training had pictures of it.'),
  runtime: z.boolean().describe('True when it was added while serving.'),
  attributes: z.record(z.string(), z.number()).describe('What is stored: all of them or some.'),
  filled: z
    .record(z.string(), z.number())
    .optional()
    .describe(
      'Attributes that are not known, as filled in from those that are and read from its pictures: a draft, to be corrected and given as `attributes`.',
    ),
  certainty: z
    .record(z.string(), z.number().min(0).max(1))
    .optional()
    .describe(
      'How sure each of `filled` is: 0 is no better than the mean of all classes, 1 is certain. Measured on classes of the model, each left out.',
    ),
  restsOn: restsOnSchema,
  examples: z.int().describe('Pictures of it that were added while serving.'),
  unusableExamples: z
    .int()
    .optional()
    .describe(
      'How many of them cannot be used, because another network made their features: add them again.',
    ),
  etag: z.string().describe('Of the attributes: examples come and go without a new one.'),
  revision: z
    .int()
    .describe('Revision of the registry that last changed it; 0 for classes of the model itself.'),
  createdAt: z.iso.datetime().optional(),
  updatedAt: z.iso.datetime().optional(),
  unusable: z
    .string()
    .optional()
    .describe('Why the model that serves cannot use it; it does not compete then.'),
  warnings: z.array(z.string()).optional(),
});

export const createdSchema = classSchema.extend({ registryRevision: z.int() });

export const createdManySchema = z.object({
  classes: z.array(classSchema.extend({ outcome: z.enum(['created', 'unchanged']) })),
  registryRevision: z.int(),
});

export const classListSchema = z.object({
  classes: z.array(classSchema.partial({ attributes: true })),
  total: z.int().describe('Classes of this kind on all pages.'),
  next: z.string().optional().describe('Give it as `after` for the next page.'),
  registryRevision: z.int(),
});

const previewSchema = z.object({
  name: z.string(),
  plausible: z.boolean().describe('False when no class could be like that: `problems` says why.'),
  problems: z.array(z.string()).describe('What speaks against the class, and what to change.'),
  expected: z
    .number()
    .nullable()
    .describe(
      'The share of its pictures that will be recognised, corrected by what classes held out in training reached against what was promised for them; null where that is not known: with example pictures, for a class that is not plausible, and for older models.',
    ),
  recognised: z
    .number()
    .describe('Mean probability of the class itself on features made up for it: a promise, mostly too high.'),
  pictures: z
    .array(
      z.object({
        name: z.string().describe('As the file was called.'),
        class: z.string().describe('What it would be taken for.'),
        probability: z.number(),
        own: z.number().describe('Probability of the new class.'),
      }),
    )
    .optional()
    .describe(
      'What each example picture would be taken for if it were not among those that the class is known by; the first five, or the first two beside more than 1,024 classes, and `warnings` says so. A picture that is all that is known of a class is left out.',
    ),
  confusedWith: z
    .array(z.object({ name: z.string(), probability: z.number() }))
    .describe('Other classes by their mean probability on these features.'),
  nearest: z
    .array(z.object({ name: z.string(), likeness: z.number() }))
    .describe(
      'Other classes by the likeness of their attributes, 1 at most. Attributes that are not given count as they are read from the pictures; classes known by pictures alone are left out.',
    ),
  filled: classSchema.shape.filled,
  certainty: classSchema.shape.certainty,
  warnings: z.array(z.string()).optional(),
});

export const dryRunSchema = z.object({ previews: z.array(previewSchema), registryRevision: z.int() });

export const exampleQuerySchema = z.strictObject({
  dryRun: flag.describe(
    'Change nothing; answer what would be added, and which classes it would then be confused with.',
  ),
});

/** A query that takes nothing. */
export const noQuerySchema = z.strictObject({});

export const exampleListSchema = z.object({
  name: z.string(),
  examples: z
    .array(
      z.object({
        id: z
          .string()
          .describe('Of the picture as an example of this class; the same picture has the same id.'),
        createdAt: z.iso.datetime(),
        by: z.string().nullable().describe('The name of the key that added it; null when it is not known.'),
        usable: z
          .boolean()
          .describe('False when another network than the one that serves made its features.'),
      }),
    )
    .describe('Oldest first. Features are stored, never pictures, and neither is answered.'),
  warnings: z.array(z.string()).optional(),
  registryRevision: z.int(),
});

export const addedExamplesSchema = z.object({
  name: z.string(),
  examples: z.int().describe('How many the class has now.'),
  added: z.int().describe('How many were not there before.'),
  pictures: z
    .array(
      z.object({
        name: z.string().describe('As the file was called.'),
        id: z.string(),
        outcome: z.enum(['added', 'unchanged']),
      }),
    )
    .describe('In the order in which they came.'),
  preview: previewSchema.omit({ name: true }).optional().describe('Of a dry run: nothing was changed.'),
  registryRevision: z.int(),
});

const versionSchema = z.object({
  number: z.int().describe('Counts the changes under this name, removals included.'),
  at: z.iso.datetime(),
  by: z.string().nullable().describe('The name of the key that made the change; null when it is not known.'),
  revision: z.int().describe('Revision of the registry that made it.'),
  removed: z.boolean().describe('True for a removal, which has no content.'),
  current: z.boolean().describe('Whether the class is like that now.'),
  attributes: z
    .record(z.string(), z.number())
    .optional()
    .describe('Left out for a removal, and for a class that the model has itself: only its pictures change.'),
  etag: z.string().optional(),
  examples: z.int().optional().describe('How many example pictures it had.'),
});

export const versionListSchema = z.object({
  name: z.string(),
  versions: z.array(versionSchema).describe('Newest first.'),
});

export const removedListSchema = z.object({
  classes: z
    .array(
      z.object({
        name: z.string(),
        version: z.int().describe('What it was last: the version to restore.'),
        removedAt: z.iso.datetime(),
        by: z.string().nullable().describe('The name of the key that removed it; null when it is not known.'),
        keptUntil: z.iso.datetime().describe('Until then it can be restored.'),
        attributes: z.int().describe('How many it had.'),
        examples: z.int().describe('How many example pictures it had.'),
      }),
    )
    .describe('In order of their names.'),
  next: z.string().optional().describe('Give it as `after` for the next page.'),
});

const backupFormat = 'unseen-classes';
/** Version 1 has no examples. */
const backupVersions = [1, 2] as const;

/** An example as a backup has it. */
const storedExampleSchema = z.object({
  id: z.string().regex(/^[0-9a-f]{32}$/, '32 hexadecimal digits are expected'),
  backbone: z.string().max(200).describe('Names the network that made the features.'),
  features: z
    .base64('base64 is expected')
    .describe(
      'Half-precision numbers (IEEE 754, little-endian) in base64: what the network makes of the picture.',
    ),
  createdAt: z.iso.datetime(),
  by: z.string().max(200).nullable(),
});

export const storedExamplesQuerySchema = z.strictObject({
  class: z.string('the name of a class is expected').describe('The name of the class.'),
  limit: wholeNumberParameter(1, 500).default(200).describe('Examples in an answer.'),
  after: z.string().optional().describe('Only those behind this id: `next` of the answer before.'),
});

export const storedExamplesSchema = z.object({
  name: z.string(),
  examples: z.array(storedExampleSchema).describe('Oldest first.'),
  next: z.string().optional().describe('Give it as `after` for the rest.'),
  registryRevision: z.int(),
});

/** What `unseen classes export` writes; fields beside these are for people, and are not read. */
export const backupSchema = z.object({
  format: z.literal(backupFormat, `"${backupFormat}" is expected`),
  version: z.literal(
    backupVersions,
    `only versions ${backupVersions.join(' and ')} of the format are known here`,
  ),
  classes: z
    .array(
      z.object({
        name: nameSchema,
        attributes: z.record(z.string(), z.number()),
        own: z
          .literal(true)
          .optional()
          .describe('A class that the model has itself, of which only the examples count.'),
        examples: z.array(storedExampleSchema).max(10_000).optional(),
      }),
    )
    .max(maxClassesPerRequest),
  groups: z.array(groupBackupSchema).max(maxClassesPerRequest).optional(),
});

const misfitSchema = z.object({ name: z.string(), pointer: z.string(), detail: z.string() });

export const importedSchema = z.object({
  dryRun: z.boolean(),
  created: z.array(z.string()).describe('Names of classes that were not there.'),
  replaced: z.array(z.string()).describe('Names of classes that were there with other attributes.'),
  unchanged: z.array(z.string()).describe('Names of classes that were there like that already.'),
  examples: z.int().describe('Example pictures that were not there before.'),
  unusableExamples: z
    .int()
    .describe('Example pictures that were left out, because another network made their features.'),
  groups: z
    .object({ created: z.array(z.string()), replaced: z.array(z.string()), unchanged: z.array(z.string()) })
    .describe('Names of groups, in the same way.'),
  problems: z
    .array(misfitSchema)
    .describe(
      'What does not fit. Outside of a dry run this is empty: nothing is stored when anything does not fit.',
    ),
  leftOut: z.array(misfitSchema).describe('What was left out, with leaveOut=true.'),
  warnings: z.array(z.string()),
  registryRevision: z.int(),
});

export const reloadPreviewSchema = z.object({
  version: z.string().describe('Digest of the bundle that a reload would load.'),
  changed: z.boolean().describe('False when it is the bundle that serves.'),
  dryRun: z.literal(true),
  classes: z.object({
    usable: z.int().describe('Stored classes that would compete under it.'),
    unusable: z
      .array(z.object({ name: z.string(), reason: z.string() }))
      .describe('Stored classes that would not compete, and why.'),
    collisions: z.array(z.string()).describe('Those of them whose name the bundle has itself.'),
    unusableExamples: z
      .int()
      .describe('Example pictures that it could not use, because they were made with another network.'),
  }),
  groups: z
    .array(z.object({ name: z.string(), missing: z.array(z.string()) }))
    .describe('Groups that would lack classes, and which: they would stay in the group and not answer.'),
  adaptation: z
    .string()
    .nullable()
    .describe(
      'Id of the adaptation in force, when it would end: it belongs to the bundle that serves, and is in force again with that. Otherwise null.',
    ),
});

export type VersionResponse = z.infer<typeof versionSchema>;
export type RemovedListResponse = z.infer<typeof removedListSchema>;
export type VersionListResponse = z.infer<typeof versionListSchema>;
export type ExampleListResponse = z.infer<typeof exampleListSchema>;
export type AddedExamplesResponse = z.infer<typeof addedExamplesSchema>;
export type StoredExamplesResponse = z.infer<typeof storedExamplesSchema>;
export type ClassBackup = z.infer<typeof backupSchema>;
export type ImportedResponse = z.infer<typeof importedSchema>;
export type ReloadPreviewResponse = z.infer<typeof reloadPreviewSchema>;
export type ClassResponse = z.infer<typeof classSchema>;
export type CreatedResponse = z.infer<typeof createdSchema>;
export type CreatedManyResponse = z.infer<typeof createdManySchema>;
export type ClassListResponse = z.infer<typeof classListSchema>;
export type DryRunResponse = z.infer<typeof dryRunSchema>;
export type NewClass = z.input<typeof newClassSchema>;
