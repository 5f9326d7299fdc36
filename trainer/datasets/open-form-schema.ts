/**
 * Our own form of a dataset, for people who have features and a table of attributes:
 *
 *   dataset.json     this schema; a minimal one is {"formatVersion": 1, "name": "birds"}
 *   features.npy     (rows, D) float32 or float16 as numpy.save writes it; or raw little-endian float32
 *   rows.csv         one line per row of features: image,class,split  (split: train, few-shot, test-seen, test-unseen or none)
 *   attributes.csv   one line per class: class,<attribute names>; its order is the order of the classes
 *
 * Classes go by name throughout, so that no two files can disagree about an order.
 */
import { z } from 'zod';
import { backboneIdentitySchema } from '../../core/backbone/identity.js';

export const manifestFile = 'dataset.json';

const fileName = z
  .string()
  .regex(/^[^/\\]+$/, 'must be the name of a file in the same directory')
  .refine((name) => name !== '.' && name !== '..', 'must be the name of a file');
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
  .optional()
  .describe('Hash of the file; when given, a file that has changed is refused.');

const featuresSchema = z
  .strictObject({
    file: fileName.default('features.npy'),
    format: z.enum(['npy', 'float32']).default('npy'),
    rows: z.int().positive().optional().describe('Needed for float32; compared for npy.'),
    columns: z.int().positive().optional().describe('Values per row. Needed for float32; compared for npy.'),
    sha256,
  })
  .refine(
    ({ format, rows, columns }) => format === 'npy' || (rows !== undefined && columns !== undefined),
    'float32 features need "rows" and "columns"',
  );
const tableSchema = (file: string) => z.strictObject({ file: fileName.default(file), sha256 }).prefault({});

export const openFormManifestSchema = z.strictObject({
  formatVersion: z.literal(1),
  name: z.string().min(1),
  features: featuresSchema.prefault({}),
  rows: tableSchema('rows.csv'),
  attributes: tableSchema('attributes.csv'),
  images: z
    .string()
    .min(1)
    .optional()
    .describe('The folder that the images of rows.csv are in, from this one; reports show pictures from it.'),
  validationClasses: z
    .array(z.string())
    .min(1)
    .nullable()
    .default(null)
    .describe('Seen classes reserved for choosing settings, by name; null holds some out by seed.'),
  fewShotClasses: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      'Classes with attributes and a few pictures, by name: their training rows are taken as these. Rows with the split "few-shot" say the same.',
    ),
  backbone: backboneIdentitySchema.nullable().default(null),
});

export type OpenFormManifest = z.infer<typeof openFormManifestSchema>;

export const splitNames = ['train', 'few-shot', 'test-seen', 'test-unseen', 'none'] as const;
