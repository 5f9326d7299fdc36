/**
 * Everything that determines the result of an extraction, except the pictures' bytes. Every shard makes the same plan; a run is
 * continued, and shards are merged, only when their plans are equal.
 */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { backboneIdentitySchema, type BackboneIdentity } from '../../core/backbone/identity.js';
import { attributeNoteSchema } from '../../core/bundle/manifest.js';
import { normalisedName } from '../../core/class-name.js';
import { Failure } from '../../core/failures.js';
import { didYouMean } from '../../core/similar-names.js';
import { sha256Of } from '../../core/hash.js';
import { readAttributeNotes } from '../datasets/attribute-notes.js';
import { someOf } from '../datasets/findings.js';
import { splitNames } from '../datasets/open-form-schema.js';
import { listed as listedMistakes, readAttributes, type ClassAttributes } from './attributes.js';
import { listFolders, listTable, type ListedPicture } from './list-pictures.js';
import { makeSplits, type SplitOptions } from './make-splits.js';

const leftOutSchema = z.object({ file: z.string(), reason: z.string() });

export const planSchema = z.object({
  formatVersion: z.literal(1),
  name: z.string(),
  images: z
    .string()
    .optional()
    .describe('The folder of the pictures; shards may have it in different places.'),
  backbone: backboneIdentitySchema,
  batchSize: z.int().positive(),
  partSize: z
    .int()
    .positive()
    .describe('Pictures in one part: what a killed run loses at most, per part under way.'),
  pixelLimit: z.int().positive(),
  classNames: z.array(z.string()),
  attributeNames: z.array(z.string()),
  attributes: z.array(z.array(z.number())),
  attributeNotes: z
    .array(attributeNoteSchema.nullable())
    .optional()
    .describe('What attributes are, for people.'),
  splitsWereMade: z.boolean(),
  pictures: z.array(
    z.object({
      file: z.string(),
      class: z.int().min(0),
      split: z.enum(splitNames),
      size: z.int().nullable(),
    }),
  ),
  leftOut: z.array(leftOutSchema),
});

export type ExtractionPlan = z.infer<typeof planSchema>;

interface PlanRequest {
  readonly images: string;
  /** A CSV file of files and classes; without it, each folder in `images` is a class. */
  readonly list?: string;
  readonly attributes: string;
  /** A table that says what the attributes are. */
  readonly attributeNotes?: string;
  readonly name: string;
  readonly splits: SplitOptions;
  readonly pixelLimit: number;
  readonly batchSize: number;
  /** Go on without lines of the table of attributes that cannot be used; otherwise they end the run before it begins. */
  readonly leaveOutLines?: boolean;
  /** The same for classes that have pictures and no line. */
  readonly leaveOutClasses?: boolean;
}

const batchesPerPart = 8;

type Inputs = Awaited<ReturnType<typeof readInputs>>;

/** What pictures there are and how their classes are described: everything that can be wrong before a picture is opened. */
export async function readInputs(request: Omit<PlanRequest, 'batchSize' | 'name' | 'pixelLimit'>) {
  const { images, list } = request;
  const found = await stat(images).catch(() => null);
  if (!found?.isDirectory())
    throw new Failure(
      'dataset-not-found',
      `There is no folder of images at ${images}. Name one with --images.`,
    );
  const described = await readAttributes(request.attributes);
  const notes =
    request.attributeNotes === undefined
      ? undefined
      : await readAttributeNotes(request.attributeNotes, described.attributeNames);
  const listed = list === undefined ? await listFolders(images) : await listTable(list, images);
  if (listed.pictures.length === 0)
    throw new Failure(
      'dataset-invalid',
      list === undefined
        ? `There are no pictures in ${images}. Put a folder for each class into it, with that class's pictures inside.`
        : `${list} lists no pictures that can be used.`,
    );

  const classIndex = new Map(described.classNames.map((name, index) => [name, index]));
  const usable = listed.pictures.filter(({ className }) => classIndex.has(className));
  const undescribed = withoutAttributes(listed.pictures, classIndex, request.attributes);
  if (usable.length > 0 || described.leftOut.length > 0) refuseMistakes(request, described, undescribed);
  if (usable.length === 0)
    throw new Failure(
      'dataset-invalid',
      `None of the classes of pictures is in ${request.attributes}. Its classes are ${someOf(described.classNames)}; pictures are of ${someOf([...new Set(listed.pictures.map(({ className }) => className))])}.${oneFolderDeeper(images, listed.pictures, classIndex)}`,
    );
  const unknown = request.splits.unseenClasses?.filter((name) => !classIndex.has(name)) ?? [];
  if (unknown.length > 0)
    throw new Failure(
      'config-invalid',
      `Classes that are to be unseen are not in ${request.attributes}: ${someOf(unknown)}.${didYouMean(unknown[0], described.classNames)}`,
    );
  return { described, notes, listed, usable, undescribed, classIndex };
}

/** All at once, so that a table is corrected once: lines that cannot be used, and classes with pictures that have no line at all. */
function refuseMistakes(
  {
    attributes,
    leaveOutLines,
    leaveOutClasses,
  }: Pick<PlanRequest, 'attributes' | 'leaveOutLines' | 'leaveOutClasses'>,
  { leftOut, named }: ClassAttributes,
  undescribed: readonly Undescribed[],
): void {
  const lines = leaveOutLines ? [] : leftOut;
  // A class whose line cannot be used is reported by that line.
  const classes = leaveOutClasses ? [] : undescribed.filter(({ className }) => !named.has(className));
  if (lines.length + classes.length === 0) return;
  const count = (number: number, one: string, many: string): string[] =>
    number === 0 ? [] : [number === 1 ? one : `${number} ${many}`];
  const what = [
    ...count(lines.length, `a line of ${attributes} cannot be used`, `lines of ${attributes} cannot be used`),
    ...count(
      classes.length,
      `a class with pictures has no line in ${attributes}`,
      `classes with pictures have no line in ${attributes}`,
    ),
  ].join(', and ');
  const options = [
    ...(lines.length > 0 ? ['--leave-out-lines'] : []),
    ...(classes.length > 0 ? ['--leave-out-classes'] : []),
  ].join(' and ');
  const them = lines.length + classes.length === 1 ? 'it' : 'them';
  throw new Failure(
    'dataset-invalid',
    [
      `${what[0].toUpperCase()}${what.slice(1)}; no picture has been read. Correct ${them}, or leave ${them} out with ${options}:`,
      ...listedMistakes([...lines, ...classes], 30),
    ].join('\n'),
  );
}

export function planOf(
  request: PlanRequest,
  { described, notes, listed, usable, undescribed, classIndex }: Inputs,
  backbone: BackboneIdentity,
): ExtractionPlan {
  const { batchSize } = request;

  const splitsWereMade = usable.some(({ split }) => split === null);
  const made = makeSplits(
    usable.map(({ className }) => className),
    request.splits,
  );
  return {
    formatVersion: 1,
    name: request.name,
    images: resolve(request.images),
    backbone,
    batchSize,
    partSize: batchSize * batchesPerPart,
    pixelLimit: request.pixelLimit,
    classNames: [...described.classNames],
    attributeNames: [...described.attributeNames],
    attributes: described.values.map((row) => [...row]),
    ...(notes && { attributeNotes: notes }),
    splitsWereMade,
    pictures: usable.map(({ file, className, split, size }, i) => ({
      file,
      class: classIndex.get(className)!,
      split: split ?? made[i],
      size,
    })),
    leftOut: [
      ...described.leftOut,
      ...listed.leftOut,
      ...undescribed.map(({ file, reason }) => ({ file, reason })),
    ],
  };
}

interface Undescribed {
  readonly file: string;
  readonly reason: string;
  readonly className: string;
}

function withoutAttributes(
  pictures: readonly { className: string }[],
  classIndex: ReadonlyMap<string, number>,
  attributes: string,
): Undescribed[] {
  const counts = new Map<string, number>();
  for (const { className } of pictures)
    if (!classIndex.has(className)) counts.set(className, (counts.get(className) ?? 0) + 1);
  const pictured = new Set(pictures.map(({ className }) => className));
  const withoutPictures = [...classIndex.keys()].filter((name) => !pictured.has(name));
  return Array.from(counts, ([name, count]) => ({
    className: name,
    file: `${name}/`,
    reason: `the class "${name}" has ${count} ${count === 1 ? 'picture' : 'pictures'} but no usable line in ${attributes}. Add one, or correct it.${didYouMean(name, withoutPictures)}`,
  }));
}

export function planKey(plan: ExtractionPlan): string {
  return sha256Of(JSON.stringify({ ...plan, images: undefined })); // the same pictures, wherever they are mounted
}

export function partCount({ pictures, partSize }: ExtractionPlan): number {
  return Math.ceil(pictures.length / partSize);
}

/** Where a folder above the one with the classes was named. */
function oneFolderDeeper(
  images: string,
  pictures: readonly ListedPicture[],
  classIndex: ReadonlyMap<string, number>,
): string {
  const meant = pictures
    .map(({ file }) => file.split('/'))
    .find((parts) => classIndex.has(normalisedName(parts.at(1) ?? '')));
  return meant === undefined
    ? ''
    : ` ${join(images, meant[0])} holds folders of these classes: name it with --images.`;
}
