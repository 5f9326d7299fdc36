/** The HTTP contract of groups of classes: see schemas.ts. */
import { z } from 'zod';
import { flag, maxClassesPerRequest, nameSchema, wholeNumberParameter } from './fields.js';

const familySchema = nameSchema
  .nullable()
  .describe(
    'The set of groups that this one belongs to, for `groupBy`; a class is in one group of a family at most. Null: none.',
  );

const membersSchema = z
  .array(z.string('the name of a class is expected'))
  .max(maxClassesPerRequest)
  .describe('Names of classes, of the model itself or added at runtime; their order says nothing.');

export const groupContentSchema = z.strictObject({
  classes: membersSchema.min(1, 'a group needs at least one class'),
  family: familySchema.default(null),
});

/** In a backup: a group whose classes were all removed is empty. */
export const groupBackupSchema = z.object({
  name: nameSchema,
  family: familySchema.default(null),
  classes: membersSchema,
});

export const groupListQuerySchema = z.strictObject({
  family: z.string().optional().describe('Only groups of this family.'),
  limit: wholeNumberParameter(1, 1000).default(100).describe('Groups on a page.'),
  classes: flag.describe('Also answer the names of the classes in each group.'),
  after: z.string().optional().describe('Only names behind this one: `next` of the page before.'),
});

export const groupSchema = z.object({
  name: z.string(),
  family: z.string().nullable(),
  size: z.int().describe('How many classes it names.'),
  classes: z.array(z.string()).describe('Their names, in order.'),
  missing: z
    .array(z.string())
    .optional()
    .describe(
      'Classes that the model which serves does not have, or cannot use: they do not answer. Left out when there are none.',
    ),
  etag: z.string(),
  revision: z.int().describe('Revision of the registry that last changed it.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const storedGroupSchema = groupSchema.extend({ registryRevision: z.int() });

export const groupListSchema = z.object({
  groups: z.array(groupSchema.partial({ classes: true })),
  total: z.int().describe('Groups on all pages.'),
  next: z.string().optional().describe('Give it as `after` for the next page.'),
  registryRevision: z.int(),
});

export type GroupContent = z.input<typeof groupContentSchema>;
export type GroupResponse = z.infer<typeof groupSchema>;
export type StoredGroupResponse = z.infer<typeof storedGroupSchema>;
export type GroupListResponse = z.infer<typeof groupListSchema>;
