import { writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { rowOf } from '../../core/matrix.js';
import { writeDirectory } from '../../core/atomic-directory.js';
import { attributeNotesFile, noteLines } from './attribute-notes.js';
import { shortestSingle } from '../../core/shortest-single.js';
import type { Dataset } from './dataset.js';
import { fewShotClasses, fewShotRows } from './few-shot.js';
import { writeNpyRows } from './npy.js';
import { hashOfFile } from './open-form.js';
import { manifestFile, type OpenFormManifest } from './open-form-schema.js';

/** Writes dataset.json, features.npy, rows.csv and attributes.csv into a new directory. Every value comes back exactly. */
export async function writeOpenForm(dataset: Dataset, target: string): Promise<void> {
  const fill = async (directory: string): Promise<void> => {
    const at = (file: string): string => join(directory, file);
    const { features } = dataset;
    await writeNpyRows(at('features.npy'), features);
    await writeFile(at('rows.csv'), csv(rowLines(dataset)));
    await writeFile(at('attributes.csv'), csv(attributeLines(dataset)));
    const notes = noteLines(dataset);
    if (notes) await writeFile(at(attributeNotesFile), csv(notes));
    const described = async (file: string): Promise<{ file: string; sha256: string }> => ({
      file,
      sha256: await hashOfFile(at(file)),
    });
    const { validationClasses, imageFolder } = dataset;
    const fewShot = fewShotClasses(dataset);
    const manifest: OpenFormManifest = {
      formatVersion: 1,
      name: dataset.name,
      features: {
        ...(await described('features.npy')),
        format: 'npy',
        rows: features.rows,
        columns: features.columns,
      },
      rows: await described('rows.csv'),
      attributes: await described('attributes.csv'),
      // From the dataset, so that both can be moved together.
      ...(imageFolder && { images: relative(resolve(target), resolve(imageFolder)) || '.' }),
      validationClasses: validationClasses
        ? Array.from(validationClasses, (i) => dataset.classNames[i])
        : null,
      ...(fewShot.length > 0 && { fewShotClasses: Array.from(fewShot, (i) => dataset.classNames[i]) }),
      backbone: dataset.backbone,
    };
    await writeFile(at(manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
  };
  await writeDirectory(target, {}, { beforePublishing: fill });
}

function rowLines({ features, labels, imageFiles, classNames, splits }: Dataset): string[][] {
  const splitOf = new Array<string>(features.rows).fill('none');
  for (const row of splits.train) splitOf[row] = 'train';
  for (const row of fewShotRows({ splits })) splitOf[row] = 'few-shot';
  for (const row of splits.testSeen) splitOf[row] = 'test-seen';
  for (const row of splits.testUnseen) splitOf[row] = 'test-unseen';
  const lines = splitOf.map((split, row) => [imageFiles?.[row] ?? '', classNames[labels[row]] ?? '', split]);
  return [['image', 'class', 'split'], ...lines];
}

function attributeLines({ classNames, attributeNames, attributes }: Dataset): string[][] {
  const lines = classNames.map((name, i) => [name, ...Array.from(rowOf(attributes, i), shortestSingle)]);
  return [['class', ...attributeNames], ...lines];
}

function csv(lines: string[][]): string {
  const quoted = (field: string): string =>
    /[",\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
  return lines.map((line) => `${line.map(quoted).join(',')}\n`).join('');
}
