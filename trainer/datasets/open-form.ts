import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { normalisedName } from '../../core/class-name.js';
import { Failure } from '../../core/failures.js';
import { readCells, readTable } from '../extraction/read-table.js';
import { assembleDataset } from './class-sets.js';
import type { Dataset } from './dataset.js';
import { fewShotClasses, fewShotRows, withFewShot } from './few-shot.js';
import { someOf } from './findings.js';
import { readFeatures, type FeaturePlace } from './open-form-features.js';
import { manifestFile, openFormManifestSchema, type OpenFormManifest } from './open-form-schema.js';
import { attributeTable, rowTable } from './open-form-tables.js';
import { cannotOpen, datasetInvalid } from './problems.js';

export async function loadOpenForm(directory: string, place: FeaturePlace = {}): Promise<Dataset> {
  const manifest = await readManifest(directory);
  await checkHashes(directory, manifest);
  const features = await readFeatures(directory, manifest.features, place);
  const problems: string[] = [];
  const table = attributeTable(await readTable(join(directory, manifest.attributes.file)), problems);
  const classIndex = new Map(table.classNames.map((name, index) => [normalisedName(name), index]));
  const rows = rowTable(await readCells(join(directory, manifest.rows.file)), classIndex, problems);
  const named = (names: readonly string[], what: string): Int32Array =>
    Int32Array.from(names, (name) => {
      const index = classIndex.get(normalisedName(name));
      if (index === undefined)
        problems.push(`the ${what} class "${name}" is not in ${manifest.attributes.file}`);
      return index ?? 0;
    });
  const validation = named(manifest.validationClasses ?? [], 'validation');
  const fewShot = named(manifest.fewShotClasses ?? [], 'few-shot');
  const withoutRows = fewShot.filter(
    (label) => ![...rows.splits.train, ...fewShotRows(rows)].some((row) => rows.labels[row] === label),
  );
  if (withoutRows.length > 0)
    problems.push(
      `few-shot classes have neither training nor few-shot rows: ${someOf(Array.from(withoutRows, (label) => table.classNames[label]))}`,
    );
  if (problems.length > 0) throw datasetInvalid(directory, problems);
  const dataset = assembleDataset({
    name: manifest.name,
    ...table,
    features,
    ...rows,
    ...(manifest.images !== undefined && { imageFolder: resolve(directory, manifest.images) }),
    validationClasses: manifest.validationClasses ? validation.sort() : null,
    backbone: manifest.backbone,
  });
  // One row that says so makes it a few-shot class, with all its training rows.
  return withFewShot(dataset, Int32Array.from(new Set([...fewShot, ...fewShotClasses(dataset)])).sort());
}

async function readManifest(directory: string): Promise<OpenFormManifest> {
  const path = join(directory, manifestFile);
  const text = await readFile(path, 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure('dataset-invalid', `${path} is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const parsed = openFormManifestSchema.safeParse(value);
  if (!parsed.success)
    throw new Failure('dataset-invalid', `${path} is wrong:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

async function checkHashes(
  directory: string,
  { features, rows, attributes }: OpenFormManifest,
): Promise<void> {
  const changed: string[] = [];
  for (const { file, sha256 } of [features, rows, attributes]) {
    if (sha256 !== undefined && (await hashOfFile(join(directory, file))) !== sha256)
      changed.push(
        `${file} is not the file that ${manifestFile} describes; if the change is meant, remove its sha256 there`,
      );
  }
  if (changed.length > 0) throw datasetInvalid(directory, changed);
}

export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  } catch (error) {
    throw cannotOpen(path, error);
  }
  return hash.digest('hex');
}
