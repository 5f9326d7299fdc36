/** The HTTP contract of the classes: see schemas.ts. */
import { z } from 'zod';

export const mostClassesPerRequest = 10_000;
export const longestClassName = 200;

const nameSchema = z
  .string('a text is expected')
  .min(1, 'a class needs a name')
  .max(longestClassName, `at most ${longestClassName} characters`)
  // eslint-disable-next-line no-control-regex -- these are what is refused
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'control characters are not possible in a name')
  .refine((name) => !/\p{Surrogate}/u.test(name), 'this is not valid Unicode text')
  .refine((name) => name === name.trim(), 'a name neither starts nor ends with a space')
  .describe('Unique, case-sensitive.');

const attributesSchema = z
  .union(
    [z.array(z.number()), z.record(z.string(), z.number())],
    'a list of numbers in the order of GET /attributes, or an object with a number for each attribute, is expected',
  )
  .describe('One number for each attribute: a list in the order of GET /attributes, or an object by name.');

export const newClassSchema = z.strictObject({ name: nameSchema, attributes: attributesSchema });

export const newClassesSchema = z.strictObject({
  classes: z.array(newClassSchema).min(1, 'at least one class is expected').max(mostClassesPerRequest),
});

export const replacementSchema = z.strictObject({ attributes: attributesSchema });

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');

export const createQuerySchema = z.strictObject({
  dryRun: flag.describe('Change nothing; answer which classes the new ones would be confused with.'),
});

export const listQuerySchema = z.strictObject({
  kind: z.enum(['seen', 'unseen', 'runtime']).optional().describe('Only classes of this kind.'),
  limit: z
    .string()
    .regex(/^\d+$/, 'a whole number from 1 to 1000 is expected')
    .transform(Number)
    .pipe(z.int().min(1).max(1000))
    .default(100)
    .describe('Classes on a page.'),
  after: z.string().optional().describe('Only names behind this one: `next` of the page before.'),
});

export const classSchema = z.object({
  name: z.string(),
  seen: z.boolean().describe('True when training had pictures of it.'),
  runtime: z.boolean().describe('True when it was added while serving.'),
  attributes: z.record(z.string(), z.number()),
  etag: z.string(),
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
  classes: z.array(classSchema.omit({ attributes: true })),
  total: z.int().describe('Classes of this kind on all pages.'),
  next: z.string().optional().describe('Give it as `after` for the next page.'),
  registryRevision: z.int(),
});

export const previewSchema = z.object({
  name: z.string(),
  recognised: z.number().describe('Mean probability of the class itself on features made up for it.'),
  confusedWith: z
    .array(z.object({ name: z.string(), probability: z.number() }))
    .describe('Other classes by their mean probability on these features.'),
  nearest: z
    .array(z.object({ name: z.string(), likeness: z.number() }))
    .describe('Other classes by the likeness of their attributes, 1 at most.'),
  warnings: z.array(z.string()).optional(),
});

export const dryRunSchema = z.object({ previews: z.array(previewSchema), registryRevision: z.int() });

export type ClassResponse = z.infer<typeof classSchema>;
export type CreatedResponse = z.infer<typeof createdSchema>;
export type CreatedManyResponse = z.infer<typeof createdManySchema>;
export type ClassListResponse = z.infer<typeof classListSchema>;
export type DryRunResponse = z.infer<typeof dryRunSchema>;
export type NewClass = z.input<typeof newClassSchema>;
