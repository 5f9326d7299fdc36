/** The HTTP contract of missing classes: groups of pictures in a pool that are of none of the known classes. See schemas.ts. */
import { z } from 'zod';
import { newClassSchema } from './class-schemas.js';

/** Of a large group, so many pictures are named. */
export const maxNamedMembers = 500;

const groupSchema = z.object({
  pictures: z.int().describe('How many of the pool belong to it.'),
  members: z
    .array(z.string())
    .describe(`Ids of its pictures, the most typical first, ${maxNamedMembers} at most.`),
  attributes: z.record(z.string(), z.number()).describe('Read from its pictures: a draft.'),
  certainty: z
    .record(z.string(), z.number().min(0).max(1))
    .describe('How sure each attribute is: 0 is no better than the mean of all classes, 1 is certain.'),
  nearest: z
    .array(z.object({ name: z.string(), probability: z.number() }))
    .describe('The known classes that its pictures are taken for: mean probabilities, likeliest first.'),
  novelty: z.number().describe('Mean over its pictures, as `POST /classify` answers it.'),
  looseness: z
    .number()
    .describe('How much its pictures differ, as a multiple of how much those of one class usually do.'),
  gain: z.number().describe('How much better a class of its own explains its pictures, in nats.'),
  doubts: z.array(z.string()).describe('What keeps it from being one class; empty where nothing does.'),
});

export const discoverySchema = z.object({
  pool: z.string(),
  pictures: z.int(),
  groups: z.array(groupSchema).describe('Most confident first; empty when no class seems to be missing.'),
  ungrouped: z
    .array(z.string())
    .describe(
      `Ids of pictures that look like none of the known classes one by one (verdict \`unknown\`), but belong to no group; the newest-looking first, ${maxNamedMembers} at most.`,
    ),
  advice: z
    .string()
    .describe('What to make of the ungrouped pictures, as a sentence; empty where there are none.'),
  registryRevision: z.int(),
});

export const classOfPoolSchema = newClassSchema.extend({
  members: z
    .array(z.string())
    .min(1, 'at least one picture of the pool is expected')
    .max(maxNamedMembers)
    .describe('Ids of pictures of the pool, which become examples of the class.'),
});

export type DiscoveryResponse = z.infer<typeof discoverySchema>;
export type ClassOfPool = z.input<typeof classOfPoolSchema>;
