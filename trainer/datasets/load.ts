import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../core/failures.js';
import { withNotesOf } from './attribute-notes.js';
import { checkDataset } from './checks.js';
import type { Dataset } from './dataset.js';
import type { Finding } from './findings.js';
import { limitTrainingRows } from './limit-training-rows.js';
import { loadOpenForm } from './open-form.js';
import type { FeaturePlace } from './open-form-features.js';
import { manifestFile } from './open-form-schema.js';
import { datasetInvalid } from './problems.js';
import { splitByClasses } from './split-by-classes.js';
import { loadXlsa17, splitsFile, type Xlsa17Options } from './xlsa17.js';

export type DatasetForm = 'open' | 'xlsa17';
export interface LoadOptions extends Xlsa17Options, FeaturePlace {
  /** A file that names the unseen classes, for the standard split instead of the dataset's own. */
  readonly unseenClasses?: string | undefined;
  /** The maximum number of training rows of each class. */
  readonly rowsPerClass?: number | undefined;
}

interface CheckedDataset {
  readonly dataset: Dataset;
  readonly form: DatasetForm;
  readonly findings: readonly Finding[]; // errors first
}

/** A dataset that passed its checks; otherwise a Failure that lists every problem. */
export async function loadDataset(path: string, options: LoadOptions = {}): Promise<Dataset> {
  return (await loadWithWarnings(path, options)).dataset;
}

/** The same, with the findings that do not make it unusable. */
export async function loadWithWarnings(path: string, options: LoadOptions = {}): Promise<CheckedDataset> {
  const checked = await loadAndCheck(path, options);
  const errors = checked.findings.filter((finding) => finding.severity === 'error');
  if (errors.length > 0)
    throw datasetInvalid(
      path,
      errors.map((finding) => finding.message),
    );
  return checked;
}

/** The dataset with all findings, warnings included; throws only when there is no dataset that could be checked. */
export async function loadAndCheck(path: string, options: LoadOptions = {}): Promise<CheckedDataset> {
  const form = await detectForm(path);
  if (form === 'open' && (options.features !== undefined || options.attributes !== undefined))
    throw new Failure(
      'usage',
      `${path} names its own features and attributes in ${manifestFile}; edit that instead.`,
    );
  if (form === 'xlsa17' && options.featuresIn === 'disk')
    throw new Failure(
      'usage',
      `${path} has its features in a .mat file, which is read whole. Run "unseen dataset convert" first to have them read in pieces.`,
    );
  const loaded =
    form === 'open'
      ? { dataset: await loadOpenForm(path, options), findings: [] }
      : await loadXlsa17(path, options);
  const own = await withNotesOf(loaded.dataset, path);
  const split = options.unseenClasses ? await splitByClasses(own, options.unseenClasses) : own;
  const dataset = options.rowsPerClass ? limitTrainingRows(split, options.rowsPerClass) : split;
  return { dataset, form, findings: [...checkDataset(dataset), ...loaded.findings] }; // the loader's are warnings
}

async function detectForm(path: string): Promise<DatasetForm> {
  const exists = (target: string): Promise<boolean> =>
    stat(target).then(
      () => true,
      () => false,
    );
  if (await exists(join(path, manifestFile))) return 'open';
  if (await exists(join(path, splitsFile))) return 'xlsa17';
  throw new Failure(
    'dataset-not-found',
    (await exists(path))
      ? `${path} is not a dataset: it must be a directory with ${manifestFile} (the open form) or ${splitsFile} (xlsa17). "unseen extract" makes one from pictures and a table of attributes.`
      : `There is no dataset at ${path}: no such directory.`,
  );
}
