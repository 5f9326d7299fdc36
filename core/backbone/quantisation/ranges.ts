import { z } from 'zod';

const rangeSchema = z
  .tuple([z.number(), z.number()])
  .refine(([low, high]) => low <= high, 'the first must not be above the second');

/** The smallest and the largest value of each tensor over the pictures that a network was calibrated on. */
export const rangesSchema = z.record(z.string(), rangeSchema);

export type TensorRange = z.infer<typeof rangeSchema>;
export type Ranges = z.infer<typeof rangesSchema>;
