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
import { listed as listedMistakes, readAttributes } from './attributes.js';
import { withoutDoubtfulLines } from './doubtful-lines.js';
import { listFolders, listTable, type ListedPicture } from './list-pictures.js';
import { makeSplits, type SplitOptions } from './make-splits.js';
import { refuseMistakes, withoutAttributes } from './mistakes.js';

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
  /** Go on without lines of the tables (attributes, and the list of pictures) that cannot be used; otherwise they end the run before it begins. */
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
  const table = await readAttributes(request.attributes);
  const notes =
    request.attributeNotes === undefined
      ? undefined
      : await readAttributeNotes(request.attributeNotes, table.attributeNames);
  const listed = list === undefined ? await listFolders(images) : await listTable(list, images);
  // A file beside the folders is no mistake, unlike a line that somebody wrote.
  const badLines = list === undefined ? [] : listed.leftOut;
  if (listed.pictures.length === 0 && (badLines.length === 0 || request.leaveOutLines))
    throw new Failure(
      'dataset-invalid',
      list === undefined
        ? `There are no pictures in ${images}. Put a folder for each class into it, with that class's pictures inside.`
        : [`${list} lists no pictures that can be used.`, ...listedMistakes(badLines, 5)].join('\n'),
    );

  const pictured = new Set(listed.pictures.map(({ className }) => className));
  const described = withoutDoubtfulLines(table, pictured);
  const classIndex = new Map(described.classNames.map((name, index) => [name, index]));
  const usable = listed.pictures.filter(({ className }) => classIndex.has(className));
  const undescribed = withoutAttributes(listed.pictures, classIndex, request.attributes, described.named);
  if (
    usable.length > 0 ||
    described.leftOut.length + badLines.length > 0 ||
    undescribed.some(({ isNear }) => isNear)
  )
    refuseMistakes(request, described, badLines, undescribed);
  if (described.classNames.length === 0)
    throw new Failure(
      'dataset-invalid',
      [
        `${request.attributes} describes no class that can be used.`,
        ...listedMistakes(described.mistakes, 5),
      ].join('\n'),
    );
  if (usable.length === 0)
    throw new Failure(
      'dataset-invalid',
      `None of the classes of pictures is in ${request.attributes}. Its classes are ${someOf(described.classNames)}; pictures are of ${someOf([...pictured])}.${isTurned(described.attributeNames, pictured) ? ' Its columns are these classes: turn the table, so that each class is a line and each attribute a column.' : oneFolderDeeper(images, listed.pictures, classIndex)}`,
    );
  const unknown = request.splits.unseenClasses?.filter((name) => !classIndex.has(name)) ?? [];
  if (unknown.length > 0)
    throw new Failure(
      'config-invalid',
      `Classes that are to be unseen are not in ${request.attributes}: ${someOf(unknown)}.${didYouMean(unknown[0], described.classNames)}`,
    );
  return { described, notes, listed, usable, undescribed, classIndex };
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

export function planKey(plan: ExtractionPlan): string {
  return sha256Of(JSON.stringify({ ...plan, images: undefined })); // the same pictures, wherever they are mounted
}

export function partCount({ pictures, partSize }: ExtractionPlan): number {
  return Math.ceil(pictures.length / partSize);
}

/** Attributes as lines, classes as columns. */
function isTurned(attributeNames: readonly string[], pictured: ReadonlySet<string>): boolean {
  return attributeNames.filter((name) => pictured.has(name)).length > pictured.size / 2;
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
