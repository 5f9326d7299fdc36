/** From finished parts to a dataset. */
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure } from '../../core/failures.js';
import { matrix, takeRows, type RowSource } from '../../core/matrix.js';
import { checkDataset } from '../datasets/checks.js';
import { assembleDataset } from '../datasets/class-sets.js';
import type { Dataset } from '../datasets/dataset.js';
import { fewShotClasses, withFewShot } from '../datasets/few-shot.js';
import { someOf, type Finding } from '../datasets/findings.js';
import { datasetInvalid } from '../datasets/problems.js';
import { roomFor } from '../datasets/stored-rows.js';
import { writeOpenForm } from '../datasets/write-open-form.js';
import type { LeftOut } from './attributes.js';
import type { SplitName } from './list-pictures.js';
import type { Part, PartStore } from './parts.js';
import { partCount, planKey, type ExtractionPlan } from './plan.js';

export const leftOutFile = 'left-out.csv';

export interface Assembled {
  readonly dataset: Dataset;
  readonly leftOut: readonly LeftOut[];
  readonly warnings: readonly Finding[];
}

/** `stores` may be one whole extraction or all shards of one; `out` must not exist. */
export async function assembleParts(stores: readonly PartStore[], out: string): Promise<Assembled> {
  const [{ plan }] = stores;
  for (const { folder, plan: other } of stores)
    if (planKey(other) !== planKey(plan))
      throw new Failure(
        'dataset-invalid',
        `${folder} belongs to another extraction than ${stores[0].folder}: pictures, attributes, backbone or options differ.`,
      );
  const { features, problems } = await collect(stores, plan, dirname(resolve(out)));
  const dataset = datasetOf(plan, features, new Set(problems.map(({ index }) => index)));
  const leftOut = [...plan.leftOut, ...problems.map(({ name, reason }) => ({ file: name, reason }))];
  if (dataset.features.rows === 0)
    throw new Failure('dataset-invalid', `No picture can be used. The first: ${leftOut[0]?.reason ?? ''}`);
  const findings = checkDataset(dataset);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    throw datasetInvalid(
      out,
      errors.map(({ message }) => message),
    );
  await writeOpenForm(dataset, out);
  await writeFile(join(out, leftOutFile), leftOutTable(leftOut));
  return { dataset, leftOut, warnings: findings };
}

/** One part after another: the features of all pictures may be more than memory holds. */
async function collect(
  stores: readonly PartStore[],
  plan: ExtractionPlan,
  scratch: string,
): Promise<{ features: RowSource; problems: Part['problems'] }> {
  const { featureWidth } = plan.backbone;
  const room = roomFor(plan.pictures.length, featureWidth, scratch);
  const problems: Part['problems'] = [];
  const missing: number[] = [];
  for (let index = 0; index < partCount(plan); index++) {
    let found: Part | null = null;
    for (const store of stores) found ??= await store.read(index);
    if (!found) {
      missing.push(index);
      continue;
    }
    const unusable = new Set(found.problems.map((problem) => problem.index - index * plan.partSize));
    const rows = matrix(found.features.length / featureWidth, featureWidth, found.features);
    const usable = Array.from({ length: rows.rows }, (_, i) => i).filter((i) => !unusable.has(i));
    room.append(takeRows(rows, usable));
    problems.push(...found.problems);
  }
  if (missing.length > 0)
    throw new Failure(
      'dataset-invalid',
      `${missing.length} of ${partCount(plan)} parts are missing or damaged (${someOf(missing)}). Run the shards that have not ended, with the same options, and merge again.`,
    );
  return { features: room.finish(), problems };
}

function datasetOf(plan: ExtractionPlan, features: RowSource, unusable: ReadonlySet<number>): Dataset {
  const rows = plan.pictures.flatMap((_, index) => (unusable.has(index) ? [] : [index]));
  const pictures = rows.map((picture) => plan.pictures[picture]);
  const splits = splitsOf(plan, pictures);
  const rowsIn = (name: SplitName): Int32Array =>
    Int32Array.from(splits.flatMap((split, row) => (split === name ? [row] : [])));
  const dataset = assembleDataset({
    name: plan.name,
    classNames: plan.classNames,
    attributeNames: plan.attributeNames,
    attributes: matrix(
      plan.classNames.length,
      plan.attributeNames.length,
      Float32Array.from(plan.attributes.flat()),
    ),
    ...(plan.attributeNotes && { attributeNotes: plan.attributeNotes }),
    features,
    labels: Int32Array.from(pictures, (picture) => picture.class),
    imageFiles: pictures.map(({ file }) => file),
    ...(plan.images !== undefined && { imageFolder: plan.images }),
    splits: {
      train: rowsIn('train'),
      testSeen: rowsIn('test-seen'),
      testUnseen: rowsIn('test-unseen'),
      ...(splits.includes('few-shot') && { fewShot: rowsIn('few-shot') }),
    },
    validationClasses: null,
    backbone: plan.backbone,
  });
  return withFewShot(dataset, fewShotClasses(dataset)); // a list may call some rows of a class few-shot, and not all
}

/** Splits are made before pictures are opened: a class left without a readable training picture trains on its test ones. */
function splitsOf({ splitsWereMade }: ExtractionPlan, pictures: ExtractionPlan['pictures']): SplitName[] {
  const trained = new Set(pictures.flatMap((item) => (item.split === 'train' ? [item.class] : [])));
  return pictures.map((item) =>
    splitsWereMade && item.split === 'test-seen' && !trained.has(item.class) ? 'train' : item.split,
  );
}

function leftOutTable(leftOut: readonly LeftOut[]): string {
  const quoted = (text: string): string => `"${text.replaceAll('"', '""').replaceAll('\n', ' ')}"`;
  return ['file,reason', ...leftOut.map(({ file, reason }) => `${quoted(file)},${quoted(reason)}`), ''].join(
    '\n',
  );
}

export function nameOf(out: string): string {
  return basename(out) || 'dataset';
}
